"""Loops, contacts and unknown loads: what they transmit, and the equations that determine it."""
