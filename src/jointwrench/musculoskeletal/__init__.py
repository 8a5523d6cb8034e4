"""OpenSim models, muscles and static optimization.

Models
    read_osim, OsimModel, read_tracking_tasks, TrackingTasks
Muscles
    Muscle, MuscleGeometry, MusclePaths, MuscleDriven,
    static_optimization, MuscleForces
"""

from ..checks import lazy_namespace

__getattr__, __dir__ = lazy_namespace(__name__, __file__)
