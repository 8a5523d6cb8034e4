"""Motions that the loads make: right-hand sides, integration over time, reactions."""
