"""From C text to a loaded function: compiler, flags, cache."""
