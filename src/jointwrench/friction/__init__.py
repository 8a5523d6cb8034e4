"""Friction in joints that depends on their reactions: laws of loads that plug into a derivation."""
