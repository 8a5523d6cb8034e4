"""Sympy's points, frames and vectors: paths between them, wrenches, and observers."""
