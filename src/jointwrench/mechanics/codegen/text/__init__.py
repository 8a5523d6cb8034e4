"""Programs as text: C by way of PyDy, and numpy."""
