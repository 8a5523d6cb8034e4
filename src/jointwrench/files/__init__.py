"""Files of other programs: recorded data and models."""
