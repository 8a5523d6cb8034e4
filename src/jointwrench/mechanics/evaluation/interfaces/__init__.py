"""Compiled programs in jax, torch and numba, which call the same kernels."""
