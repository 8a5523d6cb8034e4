"""Forward simulation as a check of inverse dynamics."""
