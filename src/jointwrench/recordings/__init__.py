"""Measured data: markers, force plates, ground reactions, and their files.

Files
    read_c3d, read_trc, read_storage, read_csv, write_csv, write_storage,
    read_external_loads
Forces
    ForcePlate, PlateStep, ground_reactions, GroundReactions,
    check_ground_reaction
Markers and events
    Markers, Event, gait_events
"""

from ..checks import lazy_namespace

__getattr__, __dir__ = lazy_namespace(__name__, __file__)
