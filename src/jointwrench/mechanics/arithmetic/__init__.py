"""Scalar arithmetic without any mechanics: operations, their values, decisions, linear systems."""
