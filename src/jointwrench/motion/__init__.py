"""Sampled motions: checks and repairs of samples, smoothing, and states at any time."""
