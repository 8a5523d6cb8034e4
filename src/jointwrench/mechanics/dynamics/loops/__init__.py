"""Loops, contacts and unknown loads: their forces, and the equations that determine them."""
