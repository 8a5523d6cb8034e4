"""Sampled and prescribed motions: smoothing, and states at any time."""
