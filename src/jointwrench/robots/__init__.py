"""Robots from URDF and MJCF files.

Names
    read_urdf, read_sdf, read_mjcf
"""

from ..checks import lazy_namespace

__getattr__, __dir__ = lazy_namespace(__name__, __file__)
