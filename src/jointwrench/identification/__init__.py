"""Inertial parameters and friction of machines from measured motions and forces.

Measured motions and forces
    TorqueLog, exciting_trajectory
Parameters
    base_parameters, BaseParameters, friction_terms, identify, Identified,
    identify_payload, Payload, Fit, cross_validate
"""

from ..checks import opened

__getattr__, __dir__ = opened(__name__, __file__)
