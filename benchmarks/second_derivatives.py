"""How long do second derivatives take?  Franka Panda, 4096 states.

A weighted sum of all torques, its gradient and its Hessian in q, u and udot: ours against CasADi's
of the same operations, as C code with the same compiler; the torques alone for comparison.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from models import panda, states
from sympy import Pow, cos, sin
from timing import best_by_turns, once, print_table, ready

from jointwrench.mechanics.arithmetic.operations import Arithmetic
from jointwrench.mechanics.arithmetic.program import Program
from jointwrench.mechanics.codegen.toolchain.compiler import find_compiler

SAMPLES = 4096
MOTION = ("q", "u", "udot")


def casadi_function(program: Program, folder: Path) -> tuple[int, Any]:
    """Return the number of CasADi's instructions, and its compiled function of one sample.

    It takes q, u, udot and weights, and returns value, gradient and the Hessian's triangle.
    """
    try:
        import casadi
    except ImportError:
        sys.exit("This benchmark needs CasADi: pip install casadi")
    groups = [program.inputs[name] for name in (*MOTION, "weights")]
    symbols = [casadi.SX.sym(f"x{k}", len(group)) for k, group in enumerate(groups)]
    values = {s: x[k] for g, x in zip(groups, symbols, strict=True) for k, s in enumerate(g)}
    functions = {sin: casadi.sin, cos: casadi.cos, Pow: lambda base, exponent: base**exponent}
    arithmetic = Arithmetic(
        symbol=lambda symbol: values[symbol],
        number=float,
        call=lambda function, arguments: functions[function](*arguments),
    )
    (value,) = program.graph.evaluate(program.output("weighted_sum").refs, arithmetic)
    hessian, gradient = casadi.hessian(value, casadi.vertcat(*symbols[:3]))
    plain = casadi.Function("plain", symbols, [value, gradient, casadi.tril(hessian)])
    generator = casadi.CodeGenerator("plain.c")
    generator.add(plain)
    generator.generate(f"{folder}/")
    library = str(folder / "plain.so")
    command = [find_compiler() or "cc", "-O3", "-march=native", "-fPIC", "-shared"]
    subprocess.run([*command, str(folder / "plain.c"), "-o", library, "-lm"], check=True)
    return plain.n_instructions(), casadi.external("plain", library)


def measured(seconds: float = 2.0) -> list[list[str]]:
    """Return the rows of the table."""
    robot = panda()
    idyn, constants, output = robot.idyn, robot.constants, "generalized_forces"
    batch = states(len(robot.system.q), SAMPLES)
    weights = np.random.default_rng(0).normal(size=batch[0].shape)
    torques = idyn.compile(output, constants)
    built, evaluate = once(
        lambda: ready(idyn.compile(output, constants, second_derivatives=MOTION))
    )
    program, _ = idyn.model.weighted_sum(output, evaluate.fixed_constants, MOTION)
    outs = [dict(torques(*batch).outputs), dict(evaluate(*batch, weights=weights).outputs)]
    with tempfile.TemporaryDirectory() as folder:
        theirs_built, (instructions, function) = once(
            lambda: casadi_function(program, Path(folder))
        )
        columns = [x.T for x in (*batch, weights)]
        mapped = function.map(SAMPLES)
        found = np.array(mapped(*columns)[1]).T
        np.testing.assert_allclose(outs[1]["gradient"], found, rtol=1e-9, atol=1e-9)
        calls: list[Callable[[], Any]] = [
            lambda: torques(*batch, out=outs[0]),
            lambda: evaluate(*batch, weights=weights, out=outs[1]),
            lambda: mapped(*columns),
        ]
        times = best_by_turns(calls, seconds)
    operations = [idyn.count_ops(output), program.count_ops()]
    counts = [*(x["mul"] + x["add"] + x["trig"] for x in operations), instructions]
    names = ["torques alone", "weighted sum, gradient, Hessian", "the same by CasADi"]
    builds = ["", f"{built:.1f}", f"{theirs_built:.1f}"]
    return [
        [name, str(count), f"{1e9 * time / SAMPLES:.0f}", f"{time / times[0]:.1f}", build]
        for name, count, time, build in zip(names, counts, times, builds, strict=True)
    ]


def main() -> None:
    """Print the table."""
    head = ["", "operations", "ns per sample", "times the torques", "derived and compiled, s"]
    print_table(f"Franka Panda, {SAMPLES} states", head, measured())


if __name__ == "__main__":
    main()
