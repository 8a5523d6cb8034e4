"""What is used of the inner workings of sympy and PyDy, each in one module."""
