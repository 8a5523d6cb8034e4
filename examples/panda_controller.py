"""A controller in C at 1 kHz
==========================

The Panda's torques, its hand's Jacobian, and the external wrench on the hand, as C code.

``write_c`` with ``lanes=1`` writes functions of one state that need only ``math.h`` and a workspace
of the caller, so they run on a controller without an operating system.  ``panda_controller.c`` in
``jw.example_data`` is such a controller.  The wrench of a contact at the hand follows from the
measured torques: they are known loads of the model, and ``solve_for`` names the wrench.

For the view, ``solve_for`` names the motor torques instead: it shows the joint wrenches while 24 N
push the hand in the second half of the motion.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from sympy.physics.mechanics import Force, PinJoint, Torque, TorqueActuator, dynamicsymbols

import jointwrench as jw

START = [0, -0.8, 0, -2.4, 0, 1.6, 0.8]
END = [1.2, 0.5, -0.4, -1.2, 0.6, 2.4, -0.5]
PUSH = [12.0, -5.0, 20.0, 0.4, -0.2, 0.1]  # N and N m on the hand, in its frame
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
    robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
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
    loaded, _, wrench = with_known_torques()
    contact, _ = jw.InverseDynamics(loaded, solve_for=wrench, actuated=()).write_c(
        folder / "panda_contact.c", "solved_loads", lanes=1
    )
    arm, _ = jw.ForwardDynamics(loaded).write_c(folder / "panda_arm.c", "udot", lanes=1)
    return [torques, jacobians, contact, arm]


def with_known_torques():
    """Return the arm with motors and a wrench on its hand, and the symbols of both."""
    robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
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
    return robot.system, torques, wrench


def run(folder, sources, compiler):
    """Compile the controller and let it move a simulated arm; return what it printed."""
    program = Path(folder) / "panda_controller"
    files = [jw.example_data("panda_controller.c"), *sources]
    command = [*compiler, f"-I{folder}", *map(str, files), "-o", str(program), "-lm"]
    subprocess.run(command, check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print(printed)
    return printed


def show(path):
    """Save a view of the arm that follows the controller's reference, pushed from 1 s on."""
    system, torques, wrench = with_known_torques()
    times = np.linspace(0, 2, 201)
    way, s = np.subtract(END, START), times[:, None] / 2
    path_of_s = np.poly1d([6, -15, 10, 0, 0, 0])
    values = (way * path_of_s.deriv(k)(s) / 2**k for k in (1, 2))
    motion = jw.Trajectory(times, START + way * path_of_s(s), *values)
    pushes = {x: np.where(times < 1, 0.0, value) for x, value in zip(wrench, PUSH, strict=True)}
    evaluate = jw.InverseDynamics(system, solve_for=torques).compile("joint_wrenches")
    result = evaluate(motion, specifieds=pushes)
    jw.pictures.interactive_view(system, motion, result, up="z", title="A pushed arm").save(path)


if __name__ == "__main__":
    main()
    show("panda_controller.html")
