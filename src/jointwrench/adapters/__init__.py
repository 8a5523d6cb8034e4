"""What is used of the inner workings of sympy, PyDy and opty, each in one module."""
