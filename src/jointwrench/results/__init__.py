"""What an evaluation returns, and the forms in which people want it."""
