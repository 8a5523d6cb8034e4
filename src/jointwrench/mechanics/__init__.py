"""Mechanics of sympy Systems: formulas, and compiled functions."""
