"""Inertial parameters from measured motions and forces."""
