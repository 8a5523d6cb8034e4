"""Programs as text: C by PyDy's generator, and numpy."""
