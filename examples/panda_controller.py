"""A controller in C at 1 kHz
==========================

The Panda's torques, its hand's Jacobian, and what pushes the hand, as C code.

``write_c`` with ``lanes=1`` writes functions of one state that need ``math.h`` and a workspace of
the caller's: they run on a controller without an operating system.  ``jw.example_data`` has
``panda_controller.c``, which is such a controller.  The wrench of a contact at the hand follows
from the torques that are measured: they are known loads of the model, and ``solve_for`` names the
wrench.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

from sympy.physics.mechanics import Force, PinJoint, Torque, TorqueActuator, dynamicsymbols

import jointwrench as jw

FLAGS = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2"]


def main(folder=None):
    """Write the C files, into a folder if one is named; compile and run the controller."""
    if folder is None:
        with tempfile.TemporaryDirectory() as temporary:
            return main(temporary)
    sources = write(Path(folder))
    lines = sum(path.read_text().count("\n") for path in sources)
    print(f"{len(sources)} files of C, {lines} lines")
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    return run(folder, sources, [compiler, *FLAGS]) if compiler else None


def write(folder):
    """Write all C code that the controller needs; return the .c files."""
    robot = jw.read_urdf(jw.example_data("panda.urdf"))
    torques, _ = robot.inverse_dynamics().write_c(
        folder / "panda_torques.c", "generalized_forces", lanes=1
    )
    hand = robot.bodies["panda_hand"].frame
    kinematics = robot.kinematics(
        points={"hand": robot.origins["panda_hand"]}, frames={"hand": hand}, frame=hand
    )
    jacobians, _ = kinematics.write_c(
        folder / "panda_hand.c", ("jacobians", "angular_jacobians"), lanes=1
    )
    loaded, wrench = with_known_torques()
    contact, _ = jw.InverseDynamics(loaded, solve_for=wrench, actuated=()).write_c(
        folder / "panda_contact.c", "solved_loads", lanes=1
    )
    arm, _ = jw.ForwardDynamics(loaded).write_c(folder / "panda_arm.c", "udot", lanes=1)
    return [torques, jacobians, contact, arm]


def with_known_torques():
    """Return the arm with motors of known torque and a wrench on its hand, and its symbols."""
    robot = jw.read_urdf(jw.example_data("panda.urdf"))
    pins = [joint for joint in robot.system.joints if isinstance(joint, PinJoint)]
    torques = dynamicsymbols(f"tau1:{len(pins) + 1}")
    for pin, torque in zip(pins, torques, strict=True):
        robot.system.add_actuators(TorqueActuator(torque, pin.joint_axis, pin.child, pin.parent))
    wrench = dynamicsymbols("fx fy fz mx my mz")
    frame = robot.bodies["panda_hand"].frame
    force, moment = (
        sum((x * axis for x, axis in zip(part, frame, strict=True)), start=0 * frame.x)
        for part in (wrench[:3], wrench[3:])
    )
    robot.system.add_loads(Force(robot.origins["panda_hand"], force), Torque(frame, moment))
    return robot.system, wrench


def run(folder, sources, compiler):
    """Compile the controller and let it move a simulated arm; return what it printed."""
    program = Path(folder) / "panda_controller"
    files = [jw.example_data("panda_controller.c"), *sources]
    command = [*compiler, f"-I{folder}", *map(str, files), "-o", str(program), "-lm"]
    subprocess.run(command, check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print(printed)
    return printed


if __name__ == "__main__":
    main()
