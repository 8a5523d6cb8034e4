"""The backends of programs: compiled C, or numpy."""
