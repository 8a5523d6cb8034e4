"""What measurements tell: inertial parameters, and how uncertain the results are."""
