"""Sympy's points, frames and vectors: paths between them, and whether they are equal."""
