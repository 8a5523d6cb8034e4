"""Inertial parameters and friction of machines from measured motions and forces.

Measured motions and forces
    TorqueLog
Parameters
    base_parameters, BaseParameters, friction_terms, identify, Identified,
    identify_payload, Payload, Fit
"""

from ..checks import lazy_namespace

__getattr__, __dir__ = lazy_namespace(__name__, __file__)
