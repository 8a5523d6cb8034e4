"""What one evaluation returns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from sympy import Expr
from sympy.physics.vector import ReferenceFrame

from ..arithmetic.array_functions import known_product
from ..checks.arguments import find_named
from ..checks.display import Grid, NotebookTable, extent
from ..checks.numbers import check_bool, check_positive, real_array
from ..checks.problems import did_you_mean
from ..dynamics.joint_motion import ModelJoints
from ..dynamics.outputs.contributions import PARTS
from ..spatial.wrench import COMPONENTS, check_components
from .compiled_outputs import CompiledOutputs
from .inputs import Inputs
from .observed_result import ObservedResult
from .packed import PackedMatrices

if TYPE_CHECKING:
    from ..records.tables import Table


#: No output is a derivative.
NONE = CompiledOutputs()


@dataclass(frozen=True)
class JointName:
    """Stands for a joint where the joint itself is not, as after pickling."""

    name: str
    speeds: tuple[Expr, ...] | None = None
    child: "JointName | None" = None  # the body that it carries


@dataclass(frozen=True, eq=False)
class ResultSource:
    """What all results of an evaluator are about, as `Result` has it."""

    joints: tuple[Any, ...] = ()
    loads: tuple[Any, ...] = ()
    model_joints: ModelJoints | None = None
    derivatives: CompiledOutputs = NONE


class Result(ObservedResult, NotebookTable):
    """The outputs of one evaluation; the arrays belong to the caller alone.

    Made by `Evaluator`.

    The leading axes ``...`` of every array are the batch axes of the inputs.

    Parameters
    ==========

    outputs : mapping of str to numpy.ndarray
        The arrays by name.
    joints : tuple
        The joints, in the order of ``joint_wrenches``.
    loads : tuple
        The symbols of the solved loads, in the order of the output.
    inputs : Inputs, optional
        What the evaluation was called with; needed for other points and frames,
        powers and times.  Or a function that returns it, with its arguments.
    model_joints : ModelJoints, optional
        How the joints move; needed for powers, other points and frames.
    derivatives : CompiledOutputs, optional
        Which of the outputs are derivatives.

    Attributes
    ==========

    outputs : mapping of str to numpy.ndarray
        The arrays by name.
    generalized_forces : numpy.ndarray, shape (..., n)
        What joints and unmodelled actuators supply, in the order of ``u``.
    joint_wrenches : numpy.ndarray, shape (..., number of joints, 6)
        All joint wrenches ``[fx fy fz mx my mz]``, each acting on the child body, by
        the parent, about the joint's child point, in the child body's frame.
    constraint_wrenches : numpy.ndarray, shape (..., number of joints, 6)
        The constraints' parts of all joint wrenches.
    section_wrenches : numpy.ndarray, shape (..., number of sections, 6)
        On the part beyond each section, by the rest of its body, about the section's
        point, in the body's frame.
    contributions : numpy.ndarray, shape (..., number of the tree's joints, 5, 6)
        Parts that sum to the joint wrench; `joint_contributions` has their names.
    mass_matrix : numpy.ndarray, shape (..., n, n)
        The mass matrices: ``Q = mass_matrix @ udot + bias``.
    bias : numpy.ndarray, shape (..., n)
        The generalized forces without accelerations.

    See Also
    ========

    InverseDynamics.compile : Makes what returns it.

    Notes
    =====

    Every output that was compiled is an attribute of its name; an AttributeError
    names them where another one is asked for.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    >>> idyn = jw.InverseDynamics(chain.system)
    >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
    >>> result = idyn.compile()([0], [0], [0], values)
    >>> result.generalized_forces + 0.0
    array([0.])
    >>> result.joint_wrench("S_0") + 0.0
    array([ 0.  , 19.62,  0.  ,  0.  ,  0.  ,  0.  ])
    """

    generalized_forces: np.ndarray
    joint_wrenches: np.ndarray
    constraint_wrenches: np.ndarray
    section_wrenches: np.ndarray
    contributions: np.ndarray
    mass_matrix: np.ndarray
    bias: np.ndarray

    _mapping: "tuple[Callable[[np.ndarray], np.ndarray], Result]"

    __slots__ = ("_inputs", "_mapping", "outputs", "subject")

    def __init__(
        self,
        outputs: Mapping[str, np.ndarray],
        joints: tuple[Any, ...] = (),
        loads: tuple[Any, ...] = (),
        inputs: Inputs | tuple[Any, ...] | None = None,
        model_joints: ModelJoints | None = None,
        derivatives: CompiledOutputs = NONE,
    ) -> None:
        self.outputs = outputs
        self.subject = ResultSource(joints, loads, model_joints, derivatives)
        self._inputs = inputs

    @classmethod
    def _of(cls, outputs: Mapping[str, np.ndarray], subject: ResultSource, inputs: Any) -> "Result":
        """Return the outputs of an evaluator, as the extension makes a result, too."""
        result = cls.__new__(cls)
        result.outputs, result.subject, result._inputs = outputs, subject, inputs
        return result

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}: {array.shape}" for name, array in self.outputs.items())
        return f"Result({shapes})"

    def _grid(self) -> list[Grid]:
        shown, wrenches = [], []
        for name, values in self.outputs.items():
            if name in ("joint_wrenches", "constraint_wrenches") and self.joints:
                rows = [
                    (getattr(joint, "name", joint), *(extent(wrench[..., k]) for k in range(6)))
                    for joint, wrench in zip(self.joints, np.moveaxis(values, -2, 0), strict=True)
                ]
                title = f"{name}: on the child, by the parent, about its point, in its frame"
                wrenches.append(Grid(title, ("", *COMPONENTS), rows))
            else:
                shown.append((name, str(values.shape), extent(values)))
        others = [Grid("Result", ("", "shape", "values"), shown)] if shown else []
        return [*others, *wrenches]

    def __reduce__(self) -> tuple[Any, ...]:
        joints = joint_names(self.joints)
        given = (joints, self.loads, self.inputs, self.model_joints, self.derivatives)
        return type(self), (dict(self.outputs), *given)

    def __copy__(self) -> "Result":
        return self._mapped(np.asarray)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Result":
        return self._mapped(np.copy)  # of the same joints and inputs

    @property
    def joints(self) -> tuple[Any, ...]:
        """The joints, in the order of ``joint_wrenches``; after pickling their names."""
        return self.subject.joints

    @property
    def loads(self) -> tuple[Any, ...]:
        """The symbols of the solved loads, in the order of the output."""
        return self.subject.loads

    @property
    def model_joints(self) -> ModelJoints | None:
        """How the joints move, and where points and frames were when the model was read."""
        return self.subject.model_joints

    @property
    def derivatives(self) -> CompiledOutputs:
        """Which of the outputs are derivatives."""
        return self.subject.derivatives

    @property
    def inputs(self) -> Inputs | None:
        """What the evaluation was called with."""
        inputs = self._inputs
        if isinstance(inputs, tuple):  # put off until somebody asks
            maker, *arguments = inputs
            self._inputs = inputs = maker(*arguments)
        return inputs

    @property
    def solved_loads(self) -> dict[Any, np.ndarray]:
        """The loads that the motion determines: arrays of the batch's shape, by symbol."""
        values = self.__getattr__("solved_loads")
        return {load: values[..., k] for k, load in enumerate(self.loads)}

    @property
    def times(self) -> np.ndarray | None:
        """The instants of the samples, shape (...), or None if they were not given."""
        return None if self.inputs is None else self.inputs.times

    @overload
    def derivative(self, output: str, wrt: Any, sparse: Literal[False] = False) -> np.ndarray: ...

    @overload
    def derivative(self, output: str, wrt: Any, sparse: Literal[True]) -> PackedMatrices: ...

    def derivative(
        self, output: str, wrt: Any, sparse: bool = False
    ) -> "np.ndarray | PackedMatrices":
        """Return how an output changes with inputs, all other inputs fixed.

        Parameters
        ==========

        output : str
            The name of an output, for instance ``"generalized_forces"``.
        wrt : str, Expr or sequence of them
            With respect to what: a group (``"q"``, ``"u"``, ``"udot"``, ``"constants"``,
            ``"specifieds"``), a symbol or its name, or several of them.
        sparse : bool
            Whether to return only what is not zero for all inputs.

        Returns
        =======

        numpy.ndarray, shape (..., shape of the output, size of wrt)
            In the order of the group (of the constants those that are no numbers
            already), or of the symbols.  A single symbol has size 1.
        PackedMatrices
            If ``sparse``: `PackedMatrices.csr` is for scipy.

        Raises
        ======

        TypeError
            If ``wrt`` is of another type.
        ValueError
            If it was not compiled; use ``compile(outputs, derivatives=[...])``.

        See Also
        ========

        InverseDynamics.derivative : As formulas.
        Evaluator.derivative_sparsity : Where it is not zero.

        Notes
        =====

        Coordinates, speeds and accelerations are independent of each other.  With loops
        and contacts a derivative means something along motions that obey them:
        combine the columns accordingly, as `ForwardDynamics.linearize` does.  Where a
        function has a corner (Abs, Max, the border of a Piecewise) the derivative is
        what sympy's ``diff`` gives there: ``sign(0) = 0`` for Abs, ``Heaviside(0) =
        1/2`` for Max and Min, and for a Piecewise that of the piece that holds, whatever
        the slopes of other pieces are.  Those of ``floor``, ``ceiling``, ``frac`` and ``Mod`` are
        slopes beside their jumps.  What is NaN has the derivative NaN.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> evaluate = idyn.compile("generalized_forces", derivatives=["udot"])
        >>> result = evaluate([0], [0], [0], {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04})
        >>> result.derivative("generalized_forces", "udot")
        array([[0.165]])
        """
        if check_bool("sparse", sparse):
            return self.derivatives.select_packed(output, wrt, self.outputs)
        return self.derivatives.select(output, wrt, self.outputs)

    def packed(self, output: str) -> PackedMatrices:
        """Return what of a regressor is not zero for all inputs.

        Parameters
        ==========

        output : str
            For instance ``"regressor"``, compiled with ``sparse=True``.

        Returns
        =======

        PackedMatrices
            Its columns are those of the regressor.

        Raises
        ======

        ValueError
            If it was not compiled so.

        See Also
        ========

        PackedMatrices : What it returns.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = idyn.compile("regressor", sparse=True)([0], [0], [0], values)
        >>> result.packed("regressor").shape
        (1, 10)
        """
        return self.derivatives.packed(output, self.outputs)

    # -- joints ---------------------------------------------------------------

    def joint_wrench(
        self,
        joint: Any,
        about: Any = None,
        frame: ReferenceFrame | str | None = None,
        components: Any = None,
        constants: Mapping[Any, float] | None = None,
    ) -> np.ndarray:
        """Return the wrench of one joint, shape (..., 6).

        It is ``[fx fy fz mx my mz]``, acting on the child body, by the parent.

        Parameters
        ==========

        joint : Joint or str
            The joint or its name.
        about : Point, str or (Point, array), optional
            The point about which the moment is taken, or its name; points and frames
            are where they were when the model was read.  With an array of shape
            (..., 3): the place that is so far from the Point, in components of
            ``frame``, for instance a marker measured from the origin.  Default:
            the joint's child point.
        frame : ReferenceFrame or str, optional
            The frame of the components, or its name.  Default: the child body's.
        components : str or sequence of str, optional
            Which of fx, fy, fz, mx, my, mz to return, shape (..., number of
            them).  A single name returns shape (...).
        constants : mapping of Symbol to number, optional
            Constants in the positions that the forces do not depend on.

        Raises
        ======

        TypeError
            If ``about`` is no Point or ``frame`` no ReferenceFrame.
        ValueError
            If there is no such joint, or more than one of that name; if a
            component or a needed constant is unknown; if no path of positions
            leads to ``about`` or no path of orientations to ``frame``.

        See Also
        ========

        InverseDynamics.joint_wrench : As a formula.
        plot_wrenches : Draws it.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = idyn.compile()([0], [0], [0], values)
        >>> result.joint_wrench("S_0", frame="N", components="fx fy mz") + 0.0
        array([ 0.  , 19.62,  0.  ])
        """
        wrenches = self.joint_wrenches
        index = self._index(joint)
        wrench = wrenches[..., index, :]
        if about is not None or frame is not None:
            wrench = self._expressed(index, wrench, about, frame, constants)
        return wrench if components is None else selected(wrench, components)

    def joint_contributions(self, joint: Any) -> dict[str, np.ndarray]:
        """Return where the wrench of a joint comes from, arrays of shape (..., 6) by name.

        They act on the child body, by the parent, about the joint's child point, in the
        child body's frame, and sum to the joint wrench: "gravity" balances the weight of
        the body beyond the joint, "acceleration" and "velocity" change its momentum,
        "loads" balance the known loads on it, "joints" what it does to the bodies
        farther outwards and in joints that close a loop.

        Parameters
        ==========

        joint : Joint or str
            The joint or its name.

        Raises
        ======

        ValueError
            If there is no such joint, or if it closes a loop.
        AttributeError
            If "contributions" was not compiled.

        See Also
        ========

        plot_contributions : Draws them.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> evaluate = idyn.compile("contributions")
        >>> result = evaluate([0], [0], [0], {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04})
        >>> list(result.joint_contributions("S_0"))
        ['gravity', 'acceleration', 'velocity', 'loads', 'joints']
        """
        parts, index = self.contributions, self._index(joint)
        if index >= parts.shape[-3]:
            raise ValueError(
                f"`joint` must be one of the tree's joints, got {self.joints[index].name!r}, which "
                "closes a loop: no body hangs on it alone. Use joint_wrench."
            )
        return {name: parts[..., index, k, :] for k, name in enumerate(PARTS)}

    def joint_power(self, joint: Any) -> np.ndarray:
        """Return the power that a joint gives to its two bodies, shape (...).

        It is the power of the joint wrench on the motion of the child relative to
        the parent, whatever the speeds are; positive where the muscles over it
        shorten under load.  Known loads, and loads that were solved for, are no
        part of it.

        Parameters
        ==========

        joint : Joint or str
            The joint or its name.

        Raises
        ======

        ValueError
            If there is no such joint, or if the evaluation did not have a value
            that its motion depends on, such as the rate of a prescribed coordinate.
        AttributeError
            If "joint_wrenches" was not compiled; "generalized_forces" will do where
            the joint alone moves with its speeds, and with nothing else.

        See Also
        ========

        Result.joint_work : Over time.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = idyn.compile()([0], [0], [0], values)
        >>> float(result.joint_power("S_0"))
        0.0
        """
        index, inputs = self._index(joint), self._known_inputs()
        motion = self._known_joints().motions[index]
        if motion.speeds is None or "generalized_forces" not in self.outputs:
            twist = inputs.evaluate(motion.twist)
            return known_product(twist[..., None, :], self.joint_wrenches[..., index, :])[..., 0]
        power = np.zeros(self.generalized_forces.shape[:-1])
        for speed in motion.speeds:
            force = self.generalized_forces[..., inputs.speeds.index(speed)]
            power = power + force * inputs.samples[speed]
        return power

    def joint_work(self, joint: Any) -> np.ndarray:
        """Return the work that a joint has done since the first sample, shape (..., N).

        The samples are those of the last batch axis; over cycles it is the work
        since the beginning of each cycle, shape (cycles, samples).

        Parameters
        ==========

        joint : Joint or str
            The joint or its name.

        Raises
        ======

        ValueError
            If there is no such joint, or if the times are not known.

        See Also
        ========

        Result.joint_power : Its rate.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> motion = jw.Trajectory([0.0, 1.0], [[0.0], [1.0]], [[1.0], [1.0]], [[0.0], [0.0]])
        >>> idyn.compile()(motion, constants=values).joint_work("S_0").round(2)
        array([ 0.  , -2.06])
        """
        from scipy.integrate import cumulative_trapezoid  # slow to import

        return cumulative_trapezoid(self.joint_power(joint), self._sample_times(), initial=0.0)

    def _known_joints(self) -> ModelJoints:
        if self.model_joints is None:
            raise ValueError(
                "`result` must know how its joints move for this. Use what an Evaluator returns "
                "that InverseDynamics.compile has made; standard deviations, quantiles and draws "
                "have components in the frame of the child body only, and no powers."
            )
        return self.model_joints

    def _expressed(
        self, index: int, wrench: np.ndarray, about: Any, frame: Any, constants: Any
    ) -> np.ndarray:
        """Return a joint's wrench about another point, in another frame."""
        inputs, joint, model_joints = self._known_inputs(), self.joints[index], self._known_joints()
        if model_joints.geometry is None:
            raise ValueError(
                f"`joint` must be there for another point or frame, got {joint!r}, its name after "
                "pickling. Use the result where it was made."
            )
        geometry, own = model_joints.geometry, model_joints.frames[index]
        target = own if frame is None else geometry.frame(frame)

        def evaluate(expressions: list[Expr]) -> np.ndarray:
            return inputs.evaluate(expressions, constants)

        place, shift = about if isinstance(about, tuple) and len(about) == 2 else (about, None)
        point = None if place is None else geometry.point(place)
        wrench, is_open = self._to_turn(index, wrench, point, target)
        force, moment = wrench[..., :3], wrench[..., 3:]
        points = [] if point is None else [point]
        turns, places = geometry.poses(target, joint.child_point, evaluate, [own], points)
        force, moment = (known_product(turns[own], x) for x in (force, moment))
        if point is not None:
            moment = moment + known_product(_skew(-places[point]), force)
        turned = np.concatenate([force, moment], axis=-1)
        turned[..., is_open] = np.nan
        if point is not None and shift is not None:
            arm = _shifted(np.zeros_like(places[point]), shift)
            moment = turned[..., 3:] + known_product(_skew(arm), turned[..., :3])
            turned = np.concatenate([turned[..., :3], moment], axis=-1)
        return turned

    def _to_turn(
        self, index: int, wrench: np.ndarray, point: Any, frame: ReferenceFrame
    ) -> tuple[np.ndarray, list[bool]]:
        """Return a joint's wrench as it can be turned, and what of it is open afterwards."""
        known = self._known_joints().open_wrenches
        if known is None or not np.isnan(wrench).any():
            return wrench, [False] * 6
        chosen = self._least_norm_wrenches()
        if chosen is None:
            return wrench, [False] * 6
        return chosen[..., index, :], known.components(index, point, frame)

    def _least_norm_wrenches(self) -> np.ndarray | None:
        """Return the joint wrenches with a choice for what is open."""
        if mapping := getattr(self, "_mapping", None):
            function, before = mapping
            return _mapped_or_none(function, before._least_norm_wrenches())
        return self._known_joints().open_wrenches.of_least_norm(self._known_inputs())

    def _index(self, joint: Any) -> int:
        if any(isinstance(known, JointName) for known in self.joints):
            joint = getattr(joint, "name", joint)
        return find_named("joint", joint, self.joints)

    # -- normalisation --------------------------------------------------------

    def per_mass(self, mass: float) -> "Result":
        """Return the results divided by a body mass, as gait laboratories print them.

        Parameters
        ==========

        mass : float
            Of the whole body.  Forces become N/kg, moments N m/kg, powers W/kg.

        Raises
        ======

        TypeError
            If the mass is no number.
        ValueError
            If the mass is not positive and finite.

        See Also
        ========

        clinical_curves : In clinical words.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = idyn.compile()([0], [0], [0], values)
        >>> float(result.per_mass(2.0).joint_wrench("S_0", components="fy"))
        9.81
        """
        divisor = check_positive("mass", mass)
        return self._mapped(lambda values: values / divisor)

    def over_cycles(self, events: Any, samples: int = 101) -> "Result":
        """Return the results at evenly spaced parts of each cycle, shape (cycles, samples, ...).

        Parameters
        ==========

        events, samples
            As for `normalise_cycles`.

        Raises
        ======

        TypeError
            As `normalise_cycles`.
        ValueError
            If the times are not known, if there is more than one batch axis, as
            there is after this, or as `normalise_cycles`.

        See Also
        ========

        normalise_cycles : The same for arrays.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> t = [[0.0], [1.0], [2.0]]
        >>> motion = jw.Trajectory([0.0, 1.0, 2.0], t, [[1.0]] * 3, [[0.0]] * 3)
        >>> result = idyn.compile()(motion, constants=values)
        >>> result.over_cycles([0.0, 2.0], samples=5).joint_wrenches.shape
        (1, 5, 1, 6)
        """
        from ..records.cycles import normalise_cycles

        times = self._known_times()

        def normalise(values: np.ndarray) -> np.ndarray:
            whole = np.broadcast_to(values, (len(times), *np.shape(values)[1:]))
            return normalise_cycles(times, whole, events, samples)

        result = self._mapped(normalise)
        result._inputs = self._known_inputs().mapped(normalise)
        return result

    def _mapped(self, function: Callable[[np.ndarray], np.ndarray]) -> "Result":
        outputs = {name: function(values) for name, values in self.outputs.items()}
        result = self._of(outputs, self.subject, self._inputs)
        result._mapping = function, self
        return result

    def _has_power(self, index: int) -> bool:
        """Return whether a joint is known to move, and all that its power needs."""
        if self.inputs is None or self.model_joints is None:
            return False
        motion = self.model_joints.motions[index]
        if motion.speeds is not None and "generalized_forces" in self.outputs:
            return any(motion.twist)
        has_wrench = "joint_wrenches" in self.outputs
        return has_wrench and any(motion.twist) and self.inputs.knows(motion.twist)

    # -- tables ---------------------------------------------------------------

    def columns(self) -> dict[tuple[str, str], np.ndarray]:
        """Return forces, moments and powers by (joint, component); arrays of shape (...).

        The components are fx, fy, fz, mx, my, mz of the joint wrench, "Q u_0" and
        so on for the generalized force of each of the joint's speeds, and the
        power of a joint that moves.  Generalized forces of no joint are under
        "system", solved loads come last, under "loads".  Other outputs, such as the
        mass matrix, are left out.

        Raises
        ======

        ValueError
            If none of these was compiled.

        See Also
        ========

        Result.to_table : The same over time.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = idyn.compile()([0], [0], [0], values)
        >>> list(result.columns())[:2]
        [('S_0', 'fx'), ('S_0', 'fy')]
        """
        from .columns import columns_of

        speeds = () if self.inputs is None else self.inputs.speeds
        powers = [
            self.joint_power(joint) if self._has_power(index) else None
            for index, joint in enumerate(self.joints)
        ]
        return columns_of(self.outputs, self.joints, self.loads, speeds, powers)

    def to_table(self) -> "Table":
        """Return the results as named columns over time, for instance ``knee_fx``.

        After `over_cycles` each cycle has columns of its own, over percents: ``knee_fx_cycle_1``.

        Raises
        ======

        ValueError
            If the times are not known, or there are more batch axes.

        See Also
        ========

        write_csv, write_storage : Write it.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> motion = jw.Trajectory([0.0, 1.0], [[0.0], [1.0]], [[1.0], [1.0]], [[0.0], [0.0]])
        >>> idyn.compile()(motion, constants=values).to_table().names[:3]
        ('S_0_fx', 'S_0_fy', 'S_0_fz')
        """
        from .columns import table_of

        if self._sample_times().ndim == 2:
            from ..records.cycles import table_over_cycles

            return table_over_cycles({"_".join(key): x for key, x in self.columns().items()})
        return table_of(self._known_times(), self.columns())

    def to_dataframe(self) -> Any:
        """Return the results as a pandas DataFrame (extra ``data``).

        Returns
        =======

        pandas.DataFrame
            A row per sample, with the time as index where it is known.  The
            columns have two levels, joint and component, as `columns` names them,
            so that ``frame["knee", "mz"]`` is one and ``frame["knee"]`` all of a
            joint.

        Raises
        ======

        ImportError
            If pandas is not installed.

        See Also
        ========

        Result.to_table : Without pandas.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = idyn.compile()([0], [0], [0], values)
        >>> result.to_dataframe().shape
        (1, 8)
        """
        from .columns import dataframe_of

        return dataframe_of(self.times, self.columns())

    def _known_inputs(self) -> Inputs:
        if self.inputs is None:
            raise ValueError(
                "`result` must know its inputs for this. Use what an Evaluator returns."
            )
        return self.inputs

    def _sample_times(self) -> np.ndarray:
        """Return the times of the samples, shape (..., N)."""
        if self.times is None or self.times.ndim == 0:
            raise ValueError(
                "`times` must be known for this, one per sample. Use evaluate(..., times=times)."
            )
        return self.times

    def _known_times(self) -> np.ndarray:
        """Return the times of the samples along a single batch axis, shape (N,)."""
        times = self._sample_times()
        if times.ndim != 1:
            raise ValueError(
                f"`times` must have shape (N,) for this, got {times.shape}, as after "
                "over_cycles(). Use the result before that, or columns() and to_dataframe(), "
                "which take any shape."
            )
        return times

    def __getattr__(self, name: str) -> Any:
        """Return an output by its name."""
        if name.startswith("_"):  # asked for by copying and the like
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name not in self.outputs:
            hint = did_you_mean(name, self.outputs) or f" Use compile(outputs=(..., {name!r}))."
            raise AttributeError(
                f"{name!r} was not compiled, only {', '.join(self.outputs)}.{hint}"
            )
        return self.derivatives.whole(name, self.outputs)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.outputs]


def _mapped_or_none(
    function: Callable[[np.ndarray], np.ndarray], values: np.ndarray | None
) -> np.ndarray | None:
    return None if values is None else function(values)


def _shifted(arm: np.ndarray, shift: Any) -> np.ndarray:
    """Return arms of shape (..., 3), from a place that is ``shift`` farther."""
    if shift is None:
        return arm
    place = real_array("about", shift)
    try:
        return arm - np.broadcast_to(place, arm.shape)
    except ValueError:
        raise ValueError(
            f"`about` must have a place of shape (..., 3) after its point, here one that "
            f"broadcasts to {arm.shape}, got shape {place.shape}."
        ) from None


def selected(wrench: np.ndarray, components: Any) -> np.ndarray:
    """Return some components of wrenches of shape (..., 6)."""
    columns = [COMPONENTS.index(name) for name in check_components(components)]
    single = isinstance(components, str) and len(columns) == 1
    return wrench[..., columns[0]] if single else wrench[..., columns]


def check_counts(
    shapes: Mapping[str, tuple[int, ...]], joints: Sequence[Any], loads: Sequence[Any]
) -> None:
    """Refuse joints or loads, if any are given, that are not as many as their output has."""
    for name, argument, given in (
        ("joint_wrenches", "joints", joints),
        ("solved_loads", "loads", loads),
    ):
        if name in shapes and given and len(given) != shapes[name][0]:
            raise ValueError(
                f"`{argument}` must have the {shapes[name][0]} entries of the output {name!r}, "
                f"got {len(given)}."
            )


def _skew(arms: np.ndarray) -> np.ndarray:
    """Return the matrices whose products with vectors are ``arm x vector``."""
    return np.cross(arms[..., None, :], np.eye(3)).swapaxes(-1, -2)


def joint_names(joints: tuple[Any, ...]) -> tuple[JointName, ...]:
    """Return what stands for joints in a pickle."""
    speeds = [getattr(joint, "speeds", None) for joint in joints]
    children = [getattr(getattr(joint, "child", None), "name", None) for joint in joints]
    return tuple(
        JointName(
            joint.name,
            None if own is None else tuple(own),
            None if child is None else JointName(child),
        )
        for joint, own, child in zip(joints, speeds, children, strict=True)
    )
