"""`Result`: the outputs of one evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from ... import hints
from ...checks.numbers import check_bool, real_array
from ...records.sampled_result import JointName, SampledResult, select_components
from ...records.wrench_components import known_product
from ..arithmetic.sparse_matrices import PackedMatrices
from .compiled_outputs import CompiledOutputs
from .result_kinematics import ResultKinematics

#: The description of no outputs.
NO_DERIVATIVES = CompiledOutputs()


if TYPE_CHECKING:
    from ..dynamics.joint_motion import JointMotion
    from ..mechanism.tree import Tree


@dataclass(frozen=True, eq=False)
class ResultSource:
    """The attributes that all results of an evaluator share.

    Attributes
    ==========

    joints, loads : tuple
        The joints and load symbols in the order of outputs.
    model_joints : ModelJoints or None
        The model's joints, for powers, other points and frames.
    derivatives : CompiledOutputs
        The descriptions of the outputs.
    """

    joints: tuple[Any, ...] = ()
    loads: tuple[Any, ...] = ()
    model_joints: Any = None
    derivatives: CompiledOutputs = NO_DERIVATIVES

    @property
    def named(self) -> ResultSource:
        """These attributes with the names of joints, for pickles."""
        return replace(self, joints=joint_names(self.joints))


#: The attributes of results of a program without a model.
NO_MODEL = ResultSource()


class Result(ResultKinematics, SampledResult):
    """The outputs of one evaluation; made by `Evaluator`.

    The leading axes ``...`` of every array are the batch axes of the inputs.

    Parameters
    ==========

    outputs : mapping of str to numpy.ndarray
        The arrays by name.
    joints, loads : tuple
        The joints, in the order of ``joint_wrenches``; the symbols of the solved loads.
    inputs : Inputs, optional
        The inputs of the evaluation, or a function that returns them, with its arguments; needed
        for other points and frames, powers and times.
    model_joints : ModelJoints, optional
        The motions of the joints; needed for powers, other points and frames.
    derivatives : CompiledOutputs, optional
        Which outputs are derivatives, and how outputs depend on mass.

    Attributes
    ==========

    outputs : mapping of str to numpy.ndarray
        The arrays by name.  Each is an attribute of its name, too.
    generalized_forces : numpy.ndarray, shape (..., n)
        The forces that joints and unmodelled actuators supply, in the order of ``u``.
    joint_wrenches : numpy.ndarray, shape (..., number of joints, 6)
        All joint wrenches ``[fx fy fz mx my mz]``, each on the child body, by the parent, about the
        joint's child point, in the child body's frame.
    constraint_wrenches : numpy.ndarray, shape (..., number of joints, 6)
        The constraints' parts of all joint wrenches.
    section_wrenches : numpy.ndarray, shape (..., number of sections, 6)
        The wrenches on the part beyond each section, by the rest of its body, about the section's
        point, in the body's frame.
    contributions : numpy.ndarray, shape (..., number of the tree's joints, 5, 6)
        Parts that sum to the joint wrench; `joint_contributions` has their names.
    mass_matrix : numpy.ndarray, shape (..., n, n)
        The mass matrices of the tree, without loops.
    bias : numpy.ndarray, shape (..., n)
        The generalized forces that the tree requires at zero accelerations: ``mass_matrix @ udot +
        bias`` equals ``Q + unsupplied`` plus the generalized forces of solved loads, loop joints
        and friction.
    kinetic_energies, body_powers : numpy.ndarray, shapes (..., bodies), (..., bodies, 4)
        For each body its energy, and the power on it of gravity, of loads, of all other joints, and
        of the joint that leads to ground.

    See Also
    ========

    InverseDynamics.compile : Makes the evaluator that returns it.

    Examples
    ========

    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
    >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
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

    _mapping: tuple[Callable[[str, np.ndarray], np.ndarray], Result]

    __slots__ = ("_inputs", "_mapping", "outputs", "subject")

    def __init__(
        self,
        outputs: Mapping[str, np.ndarray],
        joints: tuple[Any, ...] = (),
        loads: tuple[Any, ...] = (),
        inputs: hints.Inputs | tuple[Any, ...] | None = None,
        model_joints: Any = None,
        derivatives: CompiledOutputs = NO_DERIVATIVES,
    ) -> None:
        self.outputs = outputs
        self.subject = ResultSource(joints, loads, model_joints, derivatives)
        self._inputs = inputs

    @classmethod
    def _of(cls, outputs: Mapping[str, np.ndarray], subject: ResultSource, inputs: Any) -> Result:
        """Return the result of an evaluator's outputs; the extension makes it in the same way."""
        result = cls.__new__(cls)
        result.outputs, result.subject, result._inputs = outputs, subject, inputs
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        joints = joint_names(self.joints)
        given = (joints, self.loads, self.inputs, self.model_joints, self.derivatives)
        return type(self), (dict(self.outputs), *given)

    def __copy__(self) -> Result:
        return self._mapped(lambda _, values: np.asarray(values))

    def __deepcopy__(self, memo: dict[int, Any]) -> Result:
        return self._mapped(lambda _, values: np.copy(values))  # of the same joints and inputs

    @property
    def joints(self) -> tuple[Any, ...]:
        """The joints, in the order of ``joint_wrenches``; after pickling their names."""
        return self.subject.joints

    @property
    def sections(self) -> tuple[hints.Section, ...]:
        """The sections, in the order of their wrenches; none after pickling."""
        return () if self.model_joints is None else self.model_joints.sections

    @property
    def loads(self) -> tuple[Any, ...]:
        """The symbols of the solved loads, in the order of the output."""
        return self.subject.loads

    @property
    def model_joints(self) -> Any:
        """The motions of the joints, and points and frames as when the model was read."""
        return self.subject.model_joints

    @property
    def derivatives(self) -> CompiledOutputs:
        """The descriptions of outputs: derivatives, sparsity, power of mass."""
        return self.subject.derivatives

    @property
    def inputs(self) -> hints.Inputs | None:
        """The inputs of the evaluation."""
        inputs = self._inputs
        if isinstance(inputs, tuple):  # made at the first request
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
    ) -> np.ndarray | PackedMatrices:
        """Return the partial derivative of an output with respect to inputs.

        ``output`` is its name; ``wrt`` a group (``"q"``, ``"u"``, ``"udot"``, ``"constants"``,
        ``"specifieds"``), a symbol or its name, or several of them.  The array has the shape (...,
        shape of the output, size of wrt), in the order of the group (without fixed constants) or of
        the symbols; a single symbol has size 1.  If ``sparse``, only entries that are not zero for
        all inputs are returned, as PackedMatrices.

        Raises
        ======

        TypeError, ValueError
            If ``wrt`` has another type, or was not compiled: ``compile(derivatives=[...])``.

        Notes
        =====

        Coordinates, speeds and accelerations are treated as independent of each other.  With loops
        and contacts, only derivatives along motions that satisfy them are meaningful: combine the
        columns accordingly, as `ForwardDynamics.linearize` does.  At a corner of a function (Abs,
        Max, the boundary of a Piecewise) the derivative is that of sympy's ``diff``: ``sign(0) =
        0`` for Abs, ``Heaviside(0) = 1/2`` for Max and Min, and for a Piecewise that of the piece
        that applies.  Derivatives of ``floor``, ``ceiling``, ``frac`` and ``Mod`` are slopes beside
        their jumps.  The derivative of NaN is NaN.

        See Also
        ========

        InverseDynamics.derivative : The same as formulas.
        Evaluator.derivative_sparsity : Where it is not zero.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> evaluate = idyn.compile("generalized_forces", derivatives=["udot"])
        >>> evaluate([0], [0], [0], values).derivative("generalized_forces", "udot")
        array([[0.165]])
        """
        if check_bool("sparse", sparse):
            return self.derivatives.select_packed(output, wrt, self.outputs)
        return self.derivatives.select(output, wrt, self.outputs)

    def packed(self, output: str) -> PackedMatrices:
        """Return the entries of a regressor that are not zero for all inputs.

        ``output``, for instance ``"regressor"``, must be compiled with ``sparse=True``; otherwise a
        ValueError is raised.

        See Also
        ========

        PackedMatrices : What it returns.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> evaluate = jw.InverseDynamics(chain.system).compile("regressor", sparse=True)
        >>> evaluate([0], [0], [0], values).packed("regressor").shape
        (1, 10)
        """
        return self.derivatives.packed(output, self.outputs)

    # -- joints ---------------------------------------------------------------

    def joint_wrench(
        self,
        joint: Any,
        about: Any = None,
        frame: hints.ReferenceFrame | str | None = None,
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
            The point about which the moment is taken, or its name; points and frames are as they
            were when the model was read.  With an array of shape (..., 3): the place at this
            position from the Point, in components of ``frame``, for instance a marker measured from
            the origin.  Default: the joint's child point.
        frame : ReferenceFrame or str, optional
            The frame of the components, or its name, or ``"joint"`` for the joint's
            ``child_interframe``, in which many simulators report.  Default: the child body's.
        components : str or sequence of str, optional
            Those of fx, fy, fz, mx, my, mz to return, shape (..., number of them), or (...) for a
            single name.
        constants : mapping of Symbol to number, optional
            Constants that occur in positions but not in the forces.

        Raises
        ======

        TypeError, ValueError
            If ``about`` is not a Point or ``frame`` not a ReferenceFrame; if there is no such
            joint, or more than one of that name; if a component or a needed constant is unknown; if
            no positions lead to ``about`` or no orientations to ``frame``.

        See Also
        ========

        InverseDynamics.joint_wrench : The same as a formula.
        plot_wrenches : Draws it.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> result.joint_wrench("S_0", frame="N", components="fx fy mz") + 0.0
        array([ 0.  , 19.62,  0.  ])
        """
        wrenches = self.joint_wrenches
        index = self._index(joint)
        wrench = wrenches[..., index, :]
        if about is not None or frame is not None:
            wrench = self._express(index, wrench, about, frame, constants)
        return wrench if components is None else select_components(wrench, components)

    def joint_contributions(self, joint: Any) -> dict[str, np.ndarray]:
        """Return the parts of a joint wrench by their origin, arrays of shape (..., 6) by name.

        They act on the child body, by the parent, about the joint's child point, in the child
        body's frame, and sum to the joint wrench: "gravity" balances the weight of the child body,
        "acceleration" and "velocity" change its momentum, "loads" balances the known loads on it,
        and "joints" the wrenches on it in joints farther outwards and in joints that close a loop.
        ``joint`` is as for `joint_wrench`.

        Raises
        ======

        ValueError
            If there is no such joint, or it closes a loop.
        AttributeError
            If "contributions" was not compiled.

        See Also
        ========

        plot_contributions : Draws them.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> evaluate = jw.InverseDynamics(chain.system).compile("contributions")
        >>> list(evaluate([0], [0], [0], values).joint_contributions("S_0"))
        ['gravity', 'acceleration', 'velocity', 'loads', 'joints']
        """
        from ..dynamics.outputs.contributions import PARTS  # imports sympy

        parts, index = self.contributions, self._index(joint)
        if index >= parts.shape[-3]:
            raise ValueError(
                f"`joint` must be one of the tree's joints, got {self.joints[index].name!r}, which "
                "closes a loop of the tree. Use joint_wrench."
            )
        return {name: parts[..., index, k, :] for k, name in enumerate(PARTS)}

    def explain(
        self, joint: Any, component: str | None = None, at: Any = None
    ) -> hints.Explanation:
        """Return the terms of a joint wrench at one instant: weights, accelerations, loads.

        Each body beyond the joint contributes terms that balance its weight and the loads on it,
        accelerate it, and curve its path.  They act on the child body, by the parent, about the
        joint's child point, in the child body's frame, and sum to the component.

        ``joint`` is a joint of the tree, or its name; ``component`` one of fx, fy, fz, mx, my, mz
        (default: the largest of the moment, or of the force if there is no moment); ``at`` the
        instant, of which the nearest sample is used, or the index of the sample if times were not
        given (default: where the component is largest).

        Raises
        ======

        AttributeError, ValueError
            If "contributions" or "joint_wrenches" was not compiled; if the joint closes a loop, the
            instant is outside, the component is undetermined, or the result has several motions or
            was pickled.

        See Also
        ========

        Result.joint_contributions : The parts over time, those of the child body alone.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(2, gravity=(0, -10, 0))
        >>> idyn = jw.InverseDynamics(chain.system)
        >>> values = dict.fromkeys(idyn.constants, 1.0)
        >>> evaluate = idyn.compile(["joint_wrenches", "contributions"], backend="numpy")
        >>> evaluate([-1.5, 0], [0, 0], [1, 0], values).explain("S_0")
        The moment mz in S_0, on S_0 by ground, is 24.45. It carries the weight of S_1 (61 %) ...
          weight of S_1            14.96     61.2 %
          weight of S_0            4.987     20.4 %
          acceleration of S_1       3.25     13.3 %
          acceleration of S_0       1.25      5.1 %
        """
        from .explanation import explain

        return explain(self, joint, component, at)

    def joint_power(self, joint: Any) -> np.ndarray:
        """Return the power of a joint on its two bodies, shape (...).

        It is the power of the joint wrench in the motion of the child relative to the parent,
        whatever the speeds are; positive where muscles across the joint shorten under load.  It
        includes friction of `JointFriction`, but no known loads and no loads that were solved for.
        ``joint`` is as for `joint_wrench`.

        Raises
        ======

        ValueError
            If there is no such joint, or if its motion depends on a value that was not given, such
            as the rate of a prescribed coordinate.
        AttributeError
            If "joint_wrenches" was not compiled; "generalized_forces" suffices if the joint moves
            with its own speeds only, no other joint moves with these, and it transmits nothing else
            along them: neither friction nor what no motor supplies.

        See Also
        ========

        Result.joint_work : Its integral over time.

        Examples
        ========

        >>> import jointwrench as jw
        >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
        >>> values = {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}
        >>> result = jw.InverseDynamics(chain.system).compile()([0], [0], [0], values)
        >>> float(result.joint_power("S_0"))
        0.0
        """
        index, inputs = self._index(joint), self._known_inputs()
        motion = self._known_joints().motions[index]
        if not self._has_all_forces_of(motion):
            twist = inputs.evaluate(motion.twist) + self._slip(index, motion)
            wrench = self._wrench_for_power(index, motion)
            return known_product(twist[..., None, :], wrench)[..., 0]
        power = np.zeros(self.generalized_forces.shape[:-1])
        for speed in motion.speeds or ():
            force = self.generalized_forces[..., inputs.speeds.index(speed)]
            power = power + force * inputs.samples[speed]
        return power

    def _has_all_forces_of(self, motion: JointMotion) -> bool:
        """Return whether the generalized forces determine all the power of a joint."""
        is_all = motion.speeds is not None and motion.is_all_supplied
        return is_all and "generalized_forces" in self.outputs

    def _slip(self, index: int, motion: JointMotion) -> Any:
        """Return the slip of a loop joint with friction; zero for other joints."""
        if not motion.rubs:
            return 0.0
        if (slips := self._known_joints().slips) is None:
            raise ValueError(
                "`joint` must not rub in a loop for its power after pickling, got "
                f"{self.joints[index].name!r}. Use the result in the process that made it."
            )
        return slips.of(self.joints[index], self._known_inputs())

    def _wrench_for_power(self, index: int, motion: JointMotion) -> np.ndarray:
        """Return a joint wrench, of least norm if its undetermined part has no power."""
        wrench = self.joint_wrenches[..., index, :]
        known = self._known_joints().undetermined_wrenches
        is_whole = known is None or motion.rubs or not np.isnan(wrench).any()
        if is_whole or known.is_power_undetermined(index, motion.twist):
            return wrench
        chosen = self._least_norm_wrenches()
        return wrench if chosen is None else chosen[..., index, :]

    def _bodies(self) -> tuple[tuple[str, ...], dict[int, int], list[int]]:
        """Return body names, the body of each joint, and the joints that are free on ground."""
        tree, motions = self._known_tree(), self._known_joints().motions
        names = tuple(link.body.name for link in tree.links)
        places = {k: tree.index_of_joint[joint] for k, joint in enumerate(tree.joints)}
        on_ground = (k for k, place in places.items() if tree.links[place].inner is None)
        return names, places, [k for k in on_ground if motions[k].is_free]

    def _in_laboratory(self, index: int) -> np.ndarray:
        """Return a joint wrench in the inertial frame for each time, shape (..., 6)."""
        wrench = self.joint_wrench(self.joints[index], frame=self._known_tree().frame)
        return np.broadcast_to(wrench, (*self._known_times().shape, 6))

    def _known_tree(self) -> Tree:
        """Return the model's tree, or raise an error after pickling."""
        if (tree := self._known_joints().tree) is None:
            raise ValueError(
                "`result` must have its model, which pickling removes. Use the result in the "
                "process that made it."
            )
        return tree

    def _known_joints(self) -> Any:
        """Return the model's joints, or raise an error for results without a model."""
        if self.model_joints is None:
            raise ValueError(
                "`result` must know how its joints move for this. Use a result of an Evaluator "
                "made by InverseDynamics.compile; standard deviations, quantiles and draws have "
                "components in the frame of the child body only, and no powers."
            )
        return self.model_joints

    def _express(
        self, index: int, wrench: np.ndarray, about: Any, frame: Any, constants: Any
    ) -> np.ndarray:
        """Return a joint wrench about another point, in another frame; see `joint_wrench`."""
        inputs, joint, model_joints = self._known_inputs(), self.joints[index], self._known_joints()
        if model_joints.geometry is None:
            raise ValueError(
                f"`joint` must be a joint for another point or frame, got {joint!r}, its name "
                "after pickling. Use the result in the process that made it."
            )
        geometry, own = model_joints.geometry, model_joints.frames[index]
        target = geometry.wrench_frame(frame, joint, own)

        def evaluate(expressions: list[hints.Expr]) -> np.ndarray:
            return inputs.evaluate(expressions, constants)

        place, shift = about if isinstance(about, tuple) and len(about) == 2 else (about, None)
        points = [] if place is None else [geometry.point(place)]
        known, is_open = model_joints.undetermined_wrenches, [False] * 6
        if known is not None and np.isnan(wrench).any():
            chosen = self._least_norm_wrenches()
            if chosen is not None:
                wrench = chosen[..., index, :]
                is_open = known.components(index, points[0] if points else None, target)
        turns, places = geometry.poses(target, joint.child_point, evaluate, [own], points)
        halves = np.split(wrench, 2, axis=-1)
        turned = np.concatenate([known_product(turns[own], half) for half in halves], axis=-1)
        for point in points:
            turned = _moved(turned, places[point])
        turned[..., is_open] = np.nan
        if points and shift is not None:
            turned = _moved(turned, _arm(shift, turned.shape[:-1]))
        return turned

    def _least_norm_wrenches(self) -> np.ndarray | None:
        """Return the joint wrenches with undetermined forces of least norm; None if unknown."""
        if mapping := getattr(self, "_mapping", None):
            function, before = mapping
            chosen = before._least_norm_wrenches()
            return None if chosen is None else function("joint_wrenches", chosen)
        return self._known_joints().undetermined_wrenches.of_least_norm(self._known_inputs())

    def _mapped(self, function: Callable[[str, np.ndarray], np.ndarray]) -> Result:
        """Return a result with a function applied to each output, by name and values."""
        outputs = {name: function(name, values) for name, values in self.outputs.items()}
        result = self._of(outputs, self.subject, self._inputs)
        result._mapping = function, self
        return result

    def _mass_dimension(self, output: str) -> int | None:
        return self.derivatives.mass_dimension(output)

    def _has_power(self, index: int) -> bool:
        """Return whether the power of a joint can be computed."""
        if self.inputs is None or self.model_joints is None:
            return False
        motion = self.model_joints.motions[index]
        if self._has_all_forces_of(motion):
            return any(motion.twist)
        has_wrench = "joint_wrenches" in self.outputs
        moves = any(motion.twist) or (motion.rubs and self.model_joints.slips is not None)
        return has_wrench and moves and self.inputs.knows(motion.twist)

    def _over(self, function: Callable[[np.ndarray], np.ndarray]) -> Result:
        """Return a result with a function applied to the batch axes of all values."""
        result = self._mapped(lambda _, values: function(values))
        result._inputs = self._known_inputs().mapped(function)
        return result

    @property
    def speeds(self) -> tuple[hints.Expr, ...]:
        """The generalized speeds, in the order of the generalized forces."""
        return () if self.inputs is None else self.inputs.speeds

    def _known_inputs(self) -> hints.Inputs:
        """Return the inputs, or raise an error for results without inputs."""
        if self.inputs is None:
            raise ValueError(
                "`result` must know its inputs for this. Use a result of an Evaluator."
            )
        return self.inputs

    def __getattr__(self, name: str) -> Any:
        super().__getattr__(name)  # raises an error for unknown names
        return self.derivatives.unpack(name, self.outputs)


def _arm(shift: Any, batch: tuple[int, ...]) -> np.ndarray:
    """Return the user's position of a location from a point, shape (..., 3)."""
    place = real_array("about", shift)
    try:
        return np.broadcast_to(place, (*batch, 3))
    except ValueError:
        raise ValueError(
            f"`about` must have a place of shape (..., 3) after its point, here one that "
            f"broadcasts to {(*batch, 3)}, got shape {place.shape}."
        ) from None


def _moved(wrench: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Return wrenches (..., 6) about the point at ``arm`` (..., 3) from the previous point."""
    force, moment = np.split(wrench, 2, axis=-1)
    levers = np.cross(-arm[..., None, :], np.eye(3)).swapaxes(-1, -2)
    return np.concatenate([force, moment + known_product(levers, force)], axis=-1)


def check_counts(
    shapes: Mapping[str, tuple[int, ...]], joints: Sequence[Any], loads: Sequence[Any]
) -> None:
    """Raise an error if the number of joints or loads does not match their output."""
    for name, argument, given in (
        ("joint_wrenches", "joints", joints),
        ("solved_loads", "loads", loads),
    ):
        if name in shapes and given and len(given) != shapes[name][0]:
            raise ValueError(
                f"`{argument}` must have the {shapes[name][0]} entries of the output {name!r}, "
                f"got {len(given)}."
            )


def joint_names(joints: tuple[Any, ...]) -> tuple[JointName, ...]:
    """Return joints by their names, with speeds and children, for pickles."""
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
