"""Ranges of the forces that mechanics leaves undetermined, under stated limits."""
