"""Inverse dynamics for sympy.physics.mechanics and PyDy.

Given a motion of a sympy ``System``: which forces and moments act in its
joints?  As formulas, and as compiled functions::

    idyn = jw.InverseDynamics(system)
    evaluate = idyn.compile()
    result = evaluate(q, u, udot, constants={...})

Methods of a System
    InverseDynamics, ForwardDynamics, Kinematics, crosscheck
What they return
    Evaluator, HessianEvaluator, GeneralizedUfunc, PackedMatrices, load,
    Result, Explanation, EnergyBalance, Formula, WrittenDerivation,
    DerivationNumbers, CrosscheckReport
Wrenches and observers
    Wrench, ObserverFrame, FictitiousWrenches
Parts of models
    SerialChain, Segment, FreeJoint, QuaternionJoint, CoupledJoint, LoopJoint,
    Contact, JointFriction, Section, ExternalWrench, Connection
Ranges of undetermined forces
    ranges, Limit
Motions and poses
    Trajectory, PrescribedMotion, States, normalise_cycles, Table,
    inverse_kinematics, FittedMotion, PoseSolver, FoundPoses
Models from files
    ModelFromFile, Limits, example_data
Errors, and what the machine has
    TopologyError, CompilationError, show_versions, clear_cache
Further names, by subject
    jw.recordings       markers, force plates, C3D, TRC, CSV
    jw.signals          filters, splines, smoothing
    jw.gait             people, segments, clinical curves, reports
    jw.musculoskeletal  models of OpenSim, muscles
    jw.robots           URDF, SDF, MJCF, xacro
    jw.identification   inertial parameters from measured forces
    jw.propagation      error bars
    jw.pictures         figures, films, interactive views

``help(jw.InverseDynamics)`` has more on one name, ``help(jw.gait)`` on a subject.
"""

from .checks import __version__ as __version__
from .checks import lazy_namespace

#: The namespaces of what is not the mechanics of a System.
NAMESPACES = (
    *("recordings", "signals", "gait", "musculoskeletal", "robots"),
    *("identification", "propagation", "pictures"),
)
# Each name is imported when it is first used; ``__init__.pyi`` says where from.
__getattr__, __dir__ = lazy_namespace(__name__, __file__)
