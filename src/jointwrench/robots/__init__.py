"""Robots from URDF and MJCF files.

Names
    read_urdf, read_sdf, read_mjcf
"""

from ..checks import opened

__getattr__, __dir__ = opened(__name__, __file__)
