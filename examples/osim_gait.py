"""A leg from an OpenSim file
==========================

Joint moments, joint wrenches and muscle forces while the leg swings forward.

The script

1. reads ``swing_leg.osim``, without OpenSim: its knee slides on two splines while it bends,
2. makes the leg swing as in walking, and computes the moments of hip, knee and ankle and every
   joint wrench,
3. adds eight groups of muscles by their moment arms, two of which cross hip and knee, and computes
   their forces by static optimization,
4. draws the leg at five instants, with forces and moments in its joints.
"""

from pathlib import Path

import numpy as np
from sympy.physics.mechanics import TorqueActuator, dynamicsymbols

import jointwrench as jw

# Groups of muscles: moment arms at hip, knee and ankle in m (positive: flexion of the hip,
# extension of the knee, dorsiflexion), largest force in N.  Rounded numbers of adults.
MUSCLES = {
    "iliopsoas": ((0.04, 0, 0), 2300),
    "glutei": ((-0.05, 0, 0), 3000),
    "hamstrings": ((-0.06, -0.035, 0), 2700),
    "rectus_femoris": ((0.04, 0.045, 0), 1200),
    "vasti": ((0, 0.042, 0), 5000),
    "short_biceps": ((0, -0.035, 0), 800),
    "tibialis": ((0, 0, 0.04), 1600),
    "triceps_surae": ((0, 0, -0.045), 5500),
}


def swing(times):
    """Return the coordinates of a step's swing: smooth curves like those of walking."""
    phase = np.pi * times / times[-1]
    return {
        "pelvis_tx": 1.3 * times,
        "pelvis_ty": 0.95 + 0.02 * np.cos(2 * phase),
        "hip_flexion_r": np.radians(5 - 25 * np.cos(phase)),
        "knee_angle_r": np.radians(-35 * np.sin(phase) ** 2 - 30 * np.sin(phase) - 5),
        "ankle_angle_r": np.radians(5 * np.sin(phase) - 10 * np.cos(phase) ** 2),
    }


def add_muscles(model):
    """Let muscles turn the bodies that they cross; return their symbols with largest forces."""
    bodies = [model.bodies[name] for name in ("pelvis", "femur_r", "tibia_r", "calcn_r")]
    found = {}
    for name, (arms, strength) in MUSCLES.items():
        force = dynamicsymbols(name)
        found[force] = (strength, 0, strength)
        for arm, parent, child in zip(arms, bodies[:-1], bodies[1:], strict=True):
            if arm:
                frames = child.frame, parent.frame
                model.system.add_actuators(TorqueActuator(arm * force, model.system.z, *frames))
    return found


def main(picture=None):
    """Return the model, its motion, the joint wrenches and the muscles' forces."""
    model = jw.musculoskeletal.read_osim(jw.example_data("swing_leg.osim"))
    print(model)
    times = np.linspace(0, 0.45, 91)
    idyn = model.inverse_dynamics()
    motion = jw.Trajectory.from_samples(times, swing(times), idyn=idyn, ends="not-a-knot")
    result = idyn.compile()(motion)
    for name in ("hip_flexion_r", "knee_angle_r", "ankle_angle_r"):
        moment = result.generalized_forces[:, [*model.coordinates].index(name)]
        print(f"{name}: moments from {moment.min():.1f} to {moment.max():.1f} N m")

    muscles = add_muscles(model)
    with_muscles = model.inverse_dynamics()
    found = jw.musculoskeletal.static_optimization(with_muscles, motion, muscles)
    print(found)
    for symbol, force in zip(found.muscles, found.forces.T, strict=True):
        print(f"{symbol.name}: at most {force.max():.0f} N")

    if picture is not None:
        axes = jw.pictures.plot_stick_figure(
            model, motion, result, joints=("hip_r", "knee_r", "ankle_r")
        )
        axes.figure.savefig(picture, dpi=120)
        view = jw.pictures.interactive_view(
            model, motion, result, speed=0.2, title="A leg from OpenSim"
        )
        view.save(Path(picture).with_suffix(".html"))
    return model, motion, result, found


if __name__ == "__main__":
    main("osim_gait.png")
