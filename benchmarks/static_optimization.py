"""How long does static optimization of a whole trial take?

500 instants of Gait2354's skeleton of the tests (23 coordinates), in a motion of all coordinates,
with 92 muscles between random places near its joints, of which 12 wrap around cylinders.  The time
includes paths and moment arms, inverse dynamics, the optimum at each instant, and joint wrenches
with muscle forces.  The same problems are also solved one by one, by an active-set method.
"""

from typing import Any

import numpy as np
from gait2354 import gait2354_text
from timing import best, once, print_table

import jointwrench as jw
from jointwrench.musculoskeletal.bounded_least_norm import solve_least_norm, solve_one

INSTANTS, SIDE = 500, 46  # muscles of each side
ENDS = (("pelvis", "femur"), ("femur", "tibia"), ("tibia", "calcn"), ("pelvis", "tibia"))
#: Centres of the muscles' ends, from each body's origin, and their largest distance, in metres.
PLACES = {"pelvis": -0.05, "femur": -0.2, "tibia": -0.15, "calcn": 0.0}
SPREAD = 0.08
OVER = 6  # of each side


def model_text() -> str:
    """Return the model with muscles as an OpenSim file."""
    rng = np.random.default_rng(20261122)
    muscles, text = [], gait2354_text()
    for k in range(SIDE):
        first, last = ENDS[k % len(ENDS)]
        places = [rng.uniform(-SPREAD, SPREAD, 3) for _ in range(2)]
        strength = rng.uniform(300, 3000)
        for side, sign in (("_r", 1), ("_l", -1)):
            points = "".join(
                f'<PathPoint name="p{j}"><socket_parent_frame>/bodyset/{body}'
                f"{'' if body == 'pelvis' else side}</socket_parent_frame>"
                f"<location>{x:.4f} {y + PLACES[body]:.4f} {sign * z:.4f}</location></PathPoint>"
                for j, (body, (x, y, z)) in enumerate(zip((first, last), places, strict=True))
            )
            wrap = f"<PathWrap><wrap_object>condyle{side}</wrap_object></PathWrap>"
            wraps = wrap if k % len(ENDS) == 1 and k < OVER * len(ENDS) else ""
            muscles.append(
                f'<Thelen2003Muscle name="muscle{k}{side}"><GeometryPath><PathPointSet><objects>'
                f"{points}</objects></PathPointSet><PathWrapSet><objects>{wraps}</objects>"
                f"</PathWrapSet></GeometryPath><max_isometric_force>{strength:.0f}"
                "</max_isometric_force><optimal_fiber_length>0.1</optimal_fiber_length>"
                "<tendon_slack_length>0.2</tendon_slack_length></Thelen2003Muscle>"
            )
    for side in ("_r", "_l"):
        cylinder = (
            f'<WrapObjectSet><objects><WrapCylinder name="condyle{side}">'
            "<translation>0 -0.4 0</translation><radius>0.02</radius><length>0.3</length>"
            "</WrapCylinder></objects></WrapObjectSet>"
        )
        head = f'<Body name="femur{side}">'
        assert head in text
        text = text.replace(head, head + cylinder)
    force_set = f"<ForceSet><objects>{''.join(muscles)}</objects></ForceSet></Model>"
    return text.replace("</Model>", force_set)


def motion(model: Any) -> list[np.ndarray]:
    """Return a slow motion of all coordinates."""
    rng = np.random.default_rng(1)
    phases = 2 * np.pi * (np.linspace(0, 1, INSTANTS)[:, None] + rng.random(len(model.speeds)))
    sizes = np.array([0.02 if name[-3:-1] == "_t" else 0.2 for name in model.coordinates])
    rate = np.pi
    return [
        sizes * np.sin(phases),
        sizes * rate * np.cos(phases),
        -(rate**2) * sizes * np.sin(phases),
    ]


def main() -> None:
    """Print the table."""
    model = jw.musculoskeletal.read_osim(model_text())
    driven, states = jw.musculoskeletal.MuscleDriven(model), motion(model)
    helped = {name: 1000.0 if name.startswith("pelvis") else 10.0 for name in model.coordinates}

    def whole(physiology: bool = False) -> Any:
        found = jw.musculoskeletal.static_optimization(
            driven, states, reserves=helped, physiology=physiology
        )
        return found, found.result.joint_wrenches

    first, (found, _) = once(whole)
    assert found.feasible.all()
    size = np.array([*helped.values()])
    aids = np.broadcast_to(np.diag(size), (INSTANTS, len(size), len(size)))
    strengths = [muscle.maximal_isometric_force for muscle in model.muscles.values()]
    columns = np.concatenate([found.moment_arms * strengths, aids], axis=-1)
    wanted = found.without.generalized_forces
    bounds = np.outer([-np.inf, np.inf], np.ones(columns.shape[-1]))
    bounds[:, : len(strengths)] = [[0.01], [1.0]]
    limits = np.broadcast_to(bounds[:, None], (2, *columns[:, 0].shape))

    def together() -> np.ndarray:
        return solve_least_norm(columns, wanted, limits)

    def singly() -> np.ndarray:
        pairs = zip(columns, wanted, strict=True)
        return np.array([solve_one(*pair, bounds) for pair in pairs])

    np.testing.assert_allclose(together(), singly(), atol=1e-7)
    times = {"all at once": best(together), "one by one": best(singly)}
    print_table(
        f"{len(strengths)} muscles, {len(size)} coordinates, {INSTANTS} instants",
        ["", "s"],
        [
            ["the trial, the first time (what evaluates it is compiled)", f"{first:.2f}"],
            ["the trial", f"{best(whole):.2f}"],
            ["with forces by lengths and velocities", f"{best(lambda: whole(True)):.2f}"],
            *([f"the optima alone, {name}", f"{seconds:.2f}"] for name, seconds in times.items()),
        ],
    )


if __name__ == "__main__":
    main()
