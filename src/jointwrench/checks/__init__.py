"""Checks of arguments, so that every refusal reads the same."""
