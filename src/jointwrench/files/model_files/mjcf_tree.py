"""From MuJoCo's compiled model to bodies, joints and loops."""

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation
from sympy import Expr, Integer
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import RigidBody
from sympy.physics.mechanics.joint import Joint
from sympy.physics.vector import Point

from ...models.coupled_joint import CoupledJoint
from ...models.loop_joint import LoopJoint
from ...models.quaternion_joint import QuaternionJoint
from .elements import Inertial
from .mjcf_compiled import CompiledMjcf
from .model_builder import ModelBuilder, coordinate, exact, turned_frame, unit_vector

#: Our kinds of joints in the order of MuJoCo's mjtJoint.
KINDS = ("free", "quaternion", "prismatic", "pin")

#: Where MuJoCo has how much a weld cares about rotation; with zero it is a ball.
TORQUE_SCALE = 10


class MjcfTree:
    """Bodies (ground first), joints and loops of a compiled model, by MuJoCo's numbers.

    Inertial parameters become symbols if ``symbolic``.
    """

    def __init__(self, compiled: CompiledMjcf, symbolic: bool) -> None:
        self.compiled, self.model = compiled, compiled.model
        self.model_builder = ModelBuilder("world", symbolic)
        self.bodies: list[RigidBody] = [self.model_builder.builder.ground]
        self.joints: list[Joint] = []
        self.loops: list[LoopJoint] = []
        self.left_out = list(compiled.unread())
        self.formulas = self._couplings()
        for number in range(1, self.model.nbody):
            self._add_body(number)
        self._add_rotors()
        self._add_loops()

    @property
    def origins(self) -> dict[str, Point]:
        """The origin of each body's frame."""
        return {body.name: self.model_builder.builder.origins[body] for body in self.bodies}

    @property
    def reference(self) -> np.ndarray:
        """The coordinates of the model's own pose, joint by joint."""
        return self._pose(self.model.qpos0)

    @property
    def keyframes(self) -> dict[str, np.ndarray]:
        """The coordinates of its keyframes, by name."""
        poses = enumerate(self.model.key_qpos)
        return {self.compiled.name("key", k): self._pose(qpos) for k, qpos in poses}

    def _pose(self, qpos: np.ndarray) -> np.ndarray:
        """Return the coordinates at MuJoCo's."""
        known = {
            symbol: qpos[self.model.jnt_qposadr[k] + i]
            for k, joint in enumerate(self.joints)
            for i, symbol in enumerate(joint.coordinates)
        }
        return np.array(
            [known[symbol] for symbol in self.model_builder.coordinates.values()], float
        )

    @property
    def kept(self) -> list[set[Expr]]:
        """The coordinates and speeds of all joints but balls, then of those with motors.

        Or of those that lead these.
        """
        scalar = [joint for joint in self.joints if len(joint.speeds) == 1]
        rates = {joint.coordinates[0]: joint.speeds[0] for joint in scalar}
        driven = [self.position(k) for k in self.compiled.driven if self.compiled.is_scalar(k)]
        leaders = {q for formula in driven for q in formula.atoms(AppliedUndef)}
        others = [joint for joint in self.joints if not isinstance(joint, QuaternionJoint)]
        plain = {x for joint in others for x in (*joint.coordinates, *joint.speeds)}
        return [plain, leaders | {rates[q] for q in leaders}]

    def position(self, number: int) -> Expr:
        """Return the coordinate of a hinge or slide, or the formula for it."""
        return self.formulas.get(number, coordinate(self.compiled.joints[number]))

    def speed(self, number: int) -> Expr:
        """Return the time derivative of that in speeds."""
        known = {joint.coordinates[0]: joint.speeds[0] for joint in self.joints if joint.speeds}
        found = self.position(number)
        return sum((found.diff(q) * u for q, u in known.items()), Integer(0))

    def axis(self, number: int) -> list[Expr]:
        """Return the axis of a hinge or slide in its joint's ``parent_interframe``."""
        return unit_vector(self.model.jnt_axis[number])

    # -- bodies and joints ----------------------------------------------------------

    def _add_body(self, number: int) -> None:
        """Add a body, with massless ones between its joints where it has several."""
        model, name = self.model, self.compiled.name("body", number)
        turn = rotation(model.body_iquat[number])
        tensor = turn @ np.diag(model.body_inertia[number]) @ turn.T
        inertial = Inertial(float(model.body_mass[number]), model.body_ipos[number], tensor)
        inner = self.bodies[model.body_parentid[number]]
        place = rotation(model.body_quat[number]), np.array(model.body_pos[number])
        first, count = model.body_jntadr[number], model.body_jntnum[number]
        joints = list(range(first, first + count))
        for joint in joints[:-1]:
            between = f"{name}_after_{self.compiled.joints[joint]}"
            outer = self.model_builder.add_body(between, is_ideal=True)
            self.joints.append(self._add_joint(joint, inner, outer, *place))
            inner, place = outer, (np.eye(3), np.zeros(3))
        body = self.model_builder.add_body(name, inertial)
        self.bodies.append(body)
        if joints:
            self.joints.append(self._add_joint(joints[-1], inner, body, *place))
        else:
            self.model_builder.add_joint("weld", f"{name}_weld", inner, body, *place)

    def _add_joint(
        self,
        number: int,
        parent: RigidBody,
        child: RigidBody,
        turn: np.ndarray,
        position: np.ndarray,
    ) -> Joint:
        """Add a joint; without it the child's frame is turned and placed so in the parent's."""
        model, name = self.model, self.compiled.joints[number]
        kind = KINDS[model.jnt_type[number]]
        ends = name, parent, child
        if kind == "free":
            return self.model_builder.add_joint(kind, *ends, np.eye(3), np.zeros(3))
        anchor, axis = np.array(model.jnt_pos[number]), np.array(model.jnt_axis[number])
        start = float(model.qpos0[model.jnt_qposadr[number]])
        place = turn, position + turn @ anchor
        if number in self.formulas:
            formula = self.formulas[number]
            return self.model_builder.add_follower(
                kind, *ends, *place, axis, formula, child_position=anchor, start=start
            )
        options: dict[str, Any] = {"child_position": anchor}
        if kind == "prismatic":
            place = turn, place[1] - start * (turn @ axis)
        if kind == "pin" and start:
            options["child_rotation"] = Rotation.from_rotvec(start * axis).as_matrix()
        if kind != "quaternion":
            options["axis"] = axis
        return self.model_builder.add_joint(kind, *ends, *place, **options)

    def _add_rotors(self) -> None:
        """Add a flywheel on ground for the armature of each hinge and slide."""
        for k, name in enumerate(self.compiled.joints):
            armature = self.compiled.armature(k)
            if armature and not self.compiled.is_scalar(k):
                self.left_out.append(f"armature of {name}")
            elif armature:
                inertial = Inertial(inertia=np.diag([0, 0, armature]))
                rotor = self.model_builder.add_body(f"{name}_rotor", inertial, is_ideal=True)
                self.model_builder.builder.add_joint(
                    *(CoupledJoint, f"{name}_armature", self.bodies[0], rotor),
                    coordinates=(),
                    rotations=[(self.position(k), "z")],
                )

    # -- equalities -----------------------------------------------------------------

    def _couplings(self) -> dict[int, Expr]:
        """Return the coordinates of coupled joints as formulas of others'."""
        model, formulas = self.model, dict[int, Expr]()
        for k, name, kind in self.compiled.equalities():
            if kind != "joint":
                continue
            one, other, factors = model.eq_obj1id[k], model.eq_obj2id[k], model.eq_data[k, :5]
            if one in formulas and other >= 0 and not factors[2:].any() and factors[1]:
                one, other = other, one
                factors = np.array([-factors[0], 1, 0, 0, 0]) / factors[1]
            starts = [model.qpos0[model.jnt_qposadr[j]] if j >= 0 else 0.0 for j in (one, other)]
            leader = coordinate(self.compiled.joints[other]) if other >= 0 else Integer(0)
            apart = leader - exact(starts[1])
            terms = (exact(c) * apart**n for n, c in enumerate(factors) if c)
            formula = sum(terms, exact(starts[0])).xreplace(self._known(formulas))
            own = coordinate(self.compiled.joints[one])
            if one in formulas or formula.has(own):
                raise ValueError(
                    f"`source` must have couplings of joints that follow one after the other, but "
                    f"{name!r} couples {self.compiled.joints[one]} of "
                    f"{self.compiled.place} once more. Leave it out."
                )
            formulas[one] = formula
            formulas = {j: x.xreplace({own: formula}) for j, x in formulas.items()}
        return formulas

    def _known(self, formulas: dict[int, Expr]) -> dict[Expr, Expr]:
        return {coordinate(self.compiled.joints[j]): formula for j, formula in formulas.items()}

    def _add_loops(self) -> None:
        """Add loop joints for what connects and welds bodies."""
        for k, name, kind in self.compiled.equalities():
            if kind == "joint":
                continue
            (parent, here, turn), (child, there, other_turn) = self._ends(k, kind)
            frames, turns = {}, kind == "weld" and self.model.eq_data[k, TORQUE_SCALE] != 0
            if turns:
                frames["parent_interframe"] = turned_frame(f"{name}_parent", parent, turn)
                frames["child_interframe"] = turned_frame(f"{name}_child", child, other_turn)
            loop = LoopJoint(
                name,
                parent,
                child,
                "weld" if turns else "spherical",
                self._point(f"{name}_parent", parent, here),
                self._point(f"{name}_child", child, there),
                **frames,
            )
            self.loops.append(loop)

    def _ends(self, number: int, kind: str) -> list[tuple[RigidBody, np.ndarray, np.ndarray]]:
        """Return body, place and orientation of both sides of an equality."""
        model = self.model
        numbers, data = (model.eq_obj1id[number], model.eq_obj2id[number]), model.eq_data[number]
        if model.eq_objtype[number] == self.compiled.mujoco.mjtObj.mjOBJ_SITE:
            return [
                (
                    self.bodies[model.site_bodyid[k]],
                    np.array(model.site_pos[k]),
                    rotation(model.site_quat[k]),
                )
                for k in numbers
            ]
        places, turns = (data[:3], data[3:6]), [np.eye(3), np.eye(3)]
        if kind == "weld":  # of the second body in the first one
            places, turns[0] = places[::-1], rotation(data[6:10])
        bodies = [self.bodies[k] for k in numbers]
        return list(zip(bodies, places, turns, strict=True))

    def _point(self, name: str, body: RigidBody, place: np.ndarray) -> Point:
        return self.model_builder.builder.add_point(name, body, [exact(x) for x in place])


def rotation(quaternion: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a quaternion, scalar part first."""
    return Rotation.from_quat(np.roll(quaternion, -1)).as_matrix()
