"""Compiled programs within jax, torch and numba: the same kernels, called from there."""
