"""From MuJoCo's compiled model to bodies, joints and loops."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation
from sympy import Expr, Integer, sympify
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import RigidBody, System
from sympy.physics.mechanics.joint import Joint

from .. import LoopJoint, QuaternionJoint
from ..extend import ModelBuilder, exact
from ..records.model_elements import ORIGIN, Inertial, Pose
from .mjcf_compiled import CompiledMjcf

#: Our kinds of joints in the order of MuJoCo's mjtJoint.
KINDS = ("free", "quaternion", "prismatic", "pin")

#: The index of a weld's weight of rotations in MuJoCo; with zero it is a ball.
TORQUE_SCALE = 10


class MjcfTree:
    """Bodies (ground first), joints and loops of a compiled model, by MuJoCo's numbers."""

    def __init__(self, compiled: CompiledMjcf, symbolic: bool) -> None:
        self.compiled, self.model = compiled, compiled.model
        self.model_builder = ModelBuilder("world", symbolic)
        self.bodies: list[RigidBody] = [self.model_builder.builder.ground]
        self.joints: list[Joint] = []
        self.loops: list[LoopJoint] = []
        self.left_out: list[str] = []
        self.losses: list[str] = []  # those that change forces
        self.formulas: dict[int, Expr] = {}
        self._couplings()
        for number in range(1, self.model.nbody):
            self._add_body(number)
        self._add_loops()

    def pose(self, qpos: np.ndarray, order: Iterable[Expr]) -> np.ndarray:
        """Return coordinates in an order from MuJoCo's."""
        known = {
            symbol: qpos[self.model.jnt_qposadr[k] + i]
            for k, joint in enumerate(self.joints)
            for i, symbol in enumerate(joint.coordinates)
        }
        return np.array([known[symbol] for symbol in order], float)

    @property
    def kept(self) -> list[set[Expr]]:
        """Coordinates and speeds of all joints except balls, then of the joints that motors move.

        For a joint with a formula, these are the coordinates and speeds of its leaders.
        """
        scalar = [joint for joint in self.joints if len(joint.speeds) == 1]
        rates = {joint.coordinates[0]: joint.speeds[0] for joint in scalar}
        driven = [self.position(k) for k in self.compiled.driven if self.compiled.is_scalar(k)]
        leaders = {q for formula in driven for q in formula.atoms(AppliedUndef)}
        others = [joint for joint in self.joints if not isinstance(joint, QuaternionJoint)]
        plain = {x for joint in others for x in (*joint.coordinates, *joint.speeds)}
        return [plain, leaders | {rates[q] for q in leaders}]

    def coordinate(self, number: int) -> Expr:
        return ModelBuilder.coordinate(self.compiled.joints[number])

    def position(self, number: int) -> Expr:
        """Return the coordinate of a hinge or slide, or the formula for it."""
        return self.formulas.get(number, self.coordinate(number))

    def speed(self, number: int) -> Expr:
        """Return the rate of a hinge's or slide's coordinate as a formula of speeds."""
        known = {joint.coordinates[0]: joint.speeds[0] for joint in self.joints if joint.speeds}
        found = self.position(number)
        leaders = found.atoms(AppliedUndef)  # all coordinates take quadratic time
        return sum((found.diff(q) * known[q] for q in leaders), Integer(0))

    # -- bodies and joints ----------------------------------------------------------

    def _add_body(self, number: int) -> None:
        """Add a body, with massless ones between its joints if it has several."""
        model, name = self.model, self.compiled.name("body", number)
        own = Inertial(float(model.body_mass[number]), inertia=np.diag(model.body_inertia[number]))
        inertial = own.seen_from(rotation(model.body_iquat[number]), model.body_ipos[number])
        inner = self.bodies[model.body_parentid[number]]
        place = rotation(model.body_quat[number]), np.array(model.body_pos[number])
        first, count = model.body_jntadr[number], model.body_jntnum[number]
        for joint in range(first, first + count - 1):
            between = f"{name}_after_{self.compiled.joints[joint]}"
            outer = self.model_builder.add_body(between, is_ideal=True)
            self.joints.append(self._add_joint(joint, inner, outer, place))
            inner, place = outer, ORIGIN
        body = self.model_builder.add_body(name, inertial)
        self.bodies.append(body)
        if count:
            self.joints.append(self._add_joint(first + count - 1, inner, body, place))
        else:
            self.model_builder.add_joint("weld", f"{name}_weld", inner, body, place)

    def _add_joint(self, number: int, parent: RigidBody, child: RigidBody, place: Pose) -> Joint:
        """Add a joint; at zero the child's frame has this rotation and position in the parent's."""
        model, builder = self.model, self.model_builder
        kind = KINDS[model.jnt_type[number]]
        ends = kind, self.compiled.joints[number], parent, child
        if kind == "free":
            return builder.add_joint(*ends)
        anchor, axis = np.array(model.jnt_pos[number]), np.array(model.jnt_axis[number])
        start = float(model.qpos0[model.jnt_qposadr[number]])
        turn, position, other_turn = place[0], place[1] + place[0] @ anchor, np.eye(3)
        motion: dict[str, Any] = {} if kind == "quaternion" else {"axis": axis}
        if number in self.formulas:
            motion |= {"formula": self.formulas[number], "start": start}
        elif kind == "prismatic":
            position = position - start * (turn @ axis)
        elif kind == "pin" and start:
            other_turn = Rotation.from_rotvec(start * axis).as_matrix()
        return builder.add_joint(*ends, (turn, position), (other_turn, anchor), **motion)

    # -- tendons ----------------------------------------------------------------------

    def tendon_length(self, tendon: int) -> Expr:
        """Return the length of a tendon that is a sum of coordinates."""
        terms = self.compiled.fixed_tendon(tendon)
        return sum((exact(by) * self.position(joint) for joint, by in terms), Integer(0))

    def add_force(self, number: int, system: System, force: Expr) -> None:
        """Add a force or a torque at a hinge or slide."""
        kind, axis = KINDS[self.model.jnt_type[number]], self.model.jnt_axis[number]
        self.model_builder.add_joint_force(system, self.joints[number], kind, axis, force)

    # -- equalities -----------------------------------------------------------------

    def _couplings(self) -> None:
        """Give formulas to the coordinates that couplings of joints and tendons determine."""
        numbers = {self.coordinate(k): k for k in range(self.model.njnt)}
        for k, name, kind in self.compiled.equalities():
            if kind not in ("joint", "tendon"):
                continue
            rest = self._coupling(k, kind)
            found = [q for q in numbers if rest.diff(q).is_number and rest.diff(q) != 0]
            if kind == "joint" and (own := self.coordinate(self.model.eq_obj1id[k])) in found:
                found.append(own)
            else:
                found.sort(key=lambda q: (numbers[q] not in self.compiled.driven, numbers[q]))
            if not found:
                raise ValueError(
                    f"`source` must have couplings of joints that follow one after the other, but "
                    f"{name!r} of {self.compiled.place} couples joints once more. Leave it out."
                )
            own = found[-1]
            formula = sympify(own - rest / rest.diff(own))
            self.formulas = {j: x.xreplace({own: formula}) for j, x in self.formulas.items()}
            self.formulas[numbers[own]] = formula

    def _coupling(self, number: int, kind: str) -> Expr:
        """Return an expression of value zero: a coordinate or length minus a polynomial."""
        model, ends = self.model, list[Expr]()
        for k in (int(model.eq_obj1id[number]), int(model.eq_obj2id[number])):
            if k < 0:
                ends.append(Integer(0))
            elif kind == "joint":
                ends.append(self.position(k) - exact(model.qpos0[model.jnt_qposadr[k]]))
            else:
                ends.append(self.tendon_length(k) - exact(model.tendon_length0[k]))
        factors = enumerate(model.eq_data[number, :5])
        return sympify(ends[0] - sum(exact(c) * ends[1] ** n for n, c in factors if c))

    def _add_loops(self) -> None:
        for k, name, kind in self.compiled.equalities():
            if kind in ("connect", "weld"):
                turns = kind == "weld" and self.model.eq_data[k, TORQUE_SCALE] != 0
                own = "weld" if turns else "spherical"
                self.loops.append(self.model_builder.add_loop(name, own, self._ends(k, kind)))

    def _ends(self, number: int, kind: str) -> Iterator[tuple[RigidBody, Pose]]:
        """Yield the body of each side of an equality, and the point in it."""
        model, data = self.model, self.model.eq_data[number]
        is_site = model.eq_objtype[number] == self.compiled.mujoco.mjtObj.mjOBJ_SITE
        places, turns = [data[:3], data[3:6]], [np.eye(3), np.eye(3)]
        if kind == "weld" and not is_site:  # of the second body in the first one
            places, turns[0] = places[::-1], rotation(data[6:10])
        numbers = model.eq_obj1id[number], model.eq_obj2id[number]
        for place, turn, k in zip(places, turns, numbers, strict=True):
            if is_site:
                body = self.bodies[model.site_bodyid[k]]
                yield body, (rotation(model.site_quat[k]), model.site_pos[k])
            else:
                yield self.bodies[k], (turn, place)


def rotation(quaternion: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a quaternion, scalar part first."""
    return Rotation.from_quat(np.roll(quaternion, -1)).as_matrix()
