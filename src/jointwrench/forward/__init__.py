"""Forward dynamics: accelerations, simulation over time, linearisation, optimal control."""
