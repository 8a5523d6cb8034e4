"""Uses of private names of sympy and PyDy, one module for each."""
