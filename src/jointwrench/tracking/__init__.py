"""From markers to the coordinates of a model."""
