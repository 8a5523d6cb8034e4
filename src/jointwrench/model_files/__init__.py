"""Models that files describe."""
