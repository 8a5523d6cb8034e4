"""Measured wrenches in a model: the symbols of their components, and the symbols' values."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sympy import Function
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import System

from ..checks.arguments import check_instance, check_name, find_named
from ..checks.messages import warn
from ..checks.numbers import shaped_array
from ..checks.pickles import Pickled
from ..mechanics.evaluation.result import Result
from ..mechanics.mechanism.reading.load_reader import loads_of
from ..mechanics.spatial.components import find_time
from ..mechanics.spatial.wrench import Wrench
from ..mechanics.sympy_objects import system_of
from ..models.serial_chain import SerialChain
from ..recordings.force_plate import ForcePlate
from ..recordings.plate_assignment import LARGEST_OF_PART, SMALLEST, list_faults
from ..records.instants import Samples
from ..records.samples import spline_through
from ..records.wrench_components import COMPONENTS, check_components

#: The share of a record's length by which an integrator may step beyond the record's ends.
BEYOND = 0.1


class ExternalWrench(Pickled):
    """A measured wrench on a segment: symbols for a load in the model, and the symbols' values.

    The wrench is about a point at rest, by default the origin of the
    system, with components in the inertial frame.  It is added to the loads of
    the System, so make it before the `InverseDynamics`.

    Parameters
    ==========

    model : System or SerialChain
        The model that gets the load.
    segment : RigidBody, int or str
        The body on which the wrench acts: as for ``SerialChain.apply``; for a System, a body or its
        name.
    name : str
        A part of the names of the symbols, ``{name}_fx`` to ``{name}_mz``.  It must be unique in a
        model: one name for each plate.
    components : str or sequence of str
        The nonzero components among fx, fy, fz, mx, my, mz.  In the plane: ``"fx fy mz"``.

    Attributes
    ==========

    wrench : Wrench
        The wrench on the segment, about the system's origin, in the system's frame.
    symbols : tuple of dynamicsymbols
        The unknown functions of time, in the order of ``components``.

    Raises
    ======

    TypeError, ValueError
        If ``model`` is neither a System nor a SerialChain, the name is not a string, a component is
        unknown or missing, another load already has the name, or the model has no segment or two
        segments of that name.

    See Also
    ========

    ForcePlate : Measured values.
    read_external_loads : Reads loads from a file of OpenSim.

    Examples
    ========

    >>> import jointwrench as jw
    >>> leg = jw.SerialChain.planar(3, gravity=(0, -9.81, 0))
    >>> jw.ExternalWrench(leg, -1, "plate", components="fx fy mz").symbols
    (plate_fx(t), plate_fy(t), plate_mz(t))
    """

    def __init__(
        self,
        model: System | SerialChain,
        segment: Any,
        name: str = "ground",
        components: Any = COMPONENTS,
    ) -> None:
        system = system_of(model)
        check_name("name", name)
        self.components = tuple(check_components(components))
        if used := _names_in_loads(system) & {f"{name}_{c}" for c in self.components}:
            raise ValueError(
                f"`name` must differ from those of the system's other loads, got {name!r}, whose "
                f"{min(used)} is used already. Use ExternalWrench(..., name=...)."
            )
        time = find_time(system.q)
        self._symbols = {c: Function(f"{name}_{c}")(time) for c in self.components}
        self.symbols: tuple[AppliedUndef, ...] = tuple(self._symbols.values())
        entries = [self._symbols.get(component, 0) for component in COMPONENTS]
        self.wrench = Wrench.from_matrix(entries, system.frame, system.fixed_point)
        if isinstance(model, SerialChain):
            model.apply(self.wrench, segment)
        else:
            body = system.bodies[find_named("segment", segment, system.bodies, "body")]
            system.add_loads(*self.wrench.to_loads(body))
        self._segment, self._system = getattr(segment, "name", segment), system
        self.frame = system.loads[-1].frame  # of the torque

    def __repr__(self) -> str:
        names = ", ".join(symbol.name for symbol in self.symbols)
        return f"ExternalWrench({names} on {self._segment})"

    def specifieds(self, values: Any) -> dict[AppliedUndef, np.ndarray]:
        """Return the values of the symbols, arrays of shape (...), as the argument ``specifieds``.

        ``values`` are a ForcePlate or array_like, shape (..., 6): the wrench at the instants of the
        motion, force first, about the origin of the system.  Components that the model does not
        have are ignored, such as a lateral force in a planar model.  The values of a plate keep its
        times: evaluation at other times is an error, see `ForcePlate.at`.  The first evaluation
        warns if the force is implausible for this segment, as `check_ground_reaction` does.

        Raises
        ======

        TypeError, ValueError
            If the values are not real numbers, or the shape is wrong; if a plate's force is along
            an axis of which the wrench has no component, or its vertical is not that of the model's
            gravity.

        See Also
        ========

        ExternalWrench.functions : Functions of time, for simulations.
        ForcePlate.at : The plate at the times of a motion.

        Examples
        ========

        >>> import jointwrench as jw
        >>> leg = jw.gait.planar_leg(1.75, 70.0)
        >>> ground = jw.ExternalWrench(leg.chain, "foot", components="fx fy mz")
        >>> list(ground.specifieds([0, 700, 0, 0, 0, 35]).values())
        [array(0.), array(700.), array(35.)]
        """
        if isinstance(values, ForcePlate):
            self._check_axis(values)
            check = FirstEvaluationCheck(self, values)
            own = self.specifieds(values.wrench)
            return {symbol: Samples(x, values.times, check) for symbol, x in own.items()}
        array = shaped_array("values", values, ..., 6)
        return {s: array[..., COMPONENTS.index(c)] for c, s in self._symbols.items()}

    def _check_axis(self, plate: ForcePlate) -> None:
        """Refuse a plate whose axes differ from the model's."""
        sizes = np.abs(plate.force).max(axis=0)
        forces = [c[1] for c in self.components if c[0] == "f"]
        if not forces or not sizes.any():
            return
        main, up = "xyz"[int(sizes.argmax())], _vertical(self._system)
        what = f"is along {main}, of which {self} has no component" if main not in forces else ""
        if not what and up not in ("", plate.vertical):
            what = f"has the vertical {plate.vertical}, gravity acts along {up}"
        if what:
            raise ValueError(
                f"`values` must be a plate in the model's axes, but its force {what}. Use "
                "plate.turned('y z x'), or what they are."
            )

    def functions(self, plate: ForcePlate) -> dict[AppliedUndef, Callable[[float], float]]:
        """Return the values of the symbols as functions of time, for simulations.

        Cubic splines interpolate the samples of the ``plate``, a ForcePlate.  For an integrator's
        last step they extend beyond the record by a tenth of it; times farther off raise a
        ValueError.

        Raises
        ======

        TypeError
            If ``plate`` is not a ForcePlate.

        See Also
        ========

        ExternalWrench.specifieds : The values at the plate's times.
        crosscheck : Uses them.

        Examples
        ========

        >>> import jointwrench as jw
        >>> leg = jw.gait.planar_leg(1.75, 70.0)
        >>> ground = jw.ExternalWrench(leg.chain, "foot", components="fy")
        >>> functions = ground.functions(jw.recordings.ForcePlate([0, 1], [[0, 0, 0], [0, 100, 0]]))
        >>> round(float(functions[ground.symbols[0]](0.55)), 6)
        55.0
        """
        check_instance("plate", plate, ForcePlate, "a ForcePlate")
        ends = plate.times[0], plate.times[-1]
        return {
            symbol: partial(_value, spline_through(plate.times, values, 3), *ends)
            for symbol, values in self.specifieds(plate).items()
        }


class FirstEvaluationCheck:
    """A check of the first evaluation: is a plate's force plausible for the segment on it?"""

    # The foot is modelled as a line from the segment's joint through its mass centre to the outer
    # joints; without outer joints, to twice the distance of the mass centre.

    def __init__(self, reaction: ExternalWrench, plate: ForcePlate) -> None:
        self._reaction, self._plate, self._is_done = reaction, plate, False

    def __call__(self, result: Result) -> None:
        own, tree = self._reaction, result.model_joints and result.model_joints.tree
        is_used = np.array([c in own.components for c in COMPONENTS])
        has_line_of_action = is_used[:3].sum() > 1 and is_used[3:].any()
        if self._is_done or not has_line_of_action or not tree or not tree.assigned.gravity:
            return
        self._is_done = True
        (link,) = (link for link in tree.links if link.own_frame is own.frame)
        beyond = [x.attachment for x in tree.links if x.inner == tree.index_of_body[link.body]]
        positions = [link.masscenter, *(beyond or [2 * link.masscenter])]
        vectors = [tree.assigned.gravity.to_matrix(tree.frame), *positions]
        total_mass = sum(each.mass for each in tree.links)
        numbers = [total_mass, *(x for vector in vectors for x in vector)]
        inputs, wrench = result.inputs, self._plate.wrench * is_used
        if inputs is None or not inputs.knows(numbers):
            return
        weight, *values = inputs.evaluate(numbers).reshape(-1, len(numbers))[0]
        gravity, *local = np.reshape([*values[:3], 0, 0, 0, *values[3:]], (-1, 3))
        weight *= float(np.linalg.norm(gravity))
        rotation = result.orientation(link.frame)
        foot = result.position(link.origin)[..., None, :] + local @ rotation.swapaxes(-1, -2)
        if foot.shape[:-2] != wrench.shape[:1] or not weight > 0:
            return
        bounds = SMALLEST * weight, LARGEST_OF_PART * weight
        if faults := "; ".join(list_faults(wrench, foot, bounds, -gravity, longest=np.inf)):
            warn(f"`specifieds` of {self._reaction} cannot be the force there: {faults}.")


def _value(spline: Callable[[Any], Any], first: float, last: float, time: Any) -> Any:
    """Return the value of a spline at a time within the record or just beyond its ends."""
    margin = BEYOND * (last - first)
    if np.any((time < first - margin) | (time > last + margin)):
        raise ValueError(
            f"`times` must be between {first:g} and {last:g}, the first and the last sample of the "
            f"plate, got {np.ravel(time)[0]:g}."
        )
    return spline(time)


def _vertical(system: System) -> str:
    """Return the name of the axis along which gravity acts, or "" if it is not along one axis."""
    # Gravity are the loads at mass centres whose ratio to the mass is the same for all bodies.
    masses = {body.masscenter: body.mass for body in system.bodies if body.mass != 0}
    slopes = Counter(
        tuple(load.vector.to_matrix(system.frame) / masses[load.point])
        for load in system.loads
        if getattr(load, "point", None) in masses
        and {frame for _, frame in load.vector.args} == {system.frame}
    )
    slope, count = max(slopes.items(), key=lambda item: item[1], default=((), 0))
    axes = ["xyz"[k] for k, x in enumerate(slope) if x != 0]
    return axes[0] if count == len(masses) > 1 and len(axes) == 1 else ""


def _names_in_loads(system: System) -> set[str]:
    """Return the names of the functions of time in the system's loads and actuators."""
    components = [matrix for load in loads_of(system) for matrix, _ in load.vector.args]
    return {symbol.name for matrix in components for symbol in matrix.atoms(AppliedUndef)}
