"""Scalar arithmetic without any mechanics: operations, their values, linear systems."""
