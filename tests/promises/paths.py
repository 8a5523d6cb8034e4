"""Paths from a model to its numbers: calls with what they need, and nothing else."""

import copy
import pickle

import numpy as np

import jointwrench as jw

NAMES, DOORS = ("generalized_forces", "joint_wrenches", "mass_matrix"), ("jax", "torch", "numba")
HELD = "Evaluator: as_ufunc save to_jax to_torch to_numba; jw: load"


def paths(case, numeric, state, folder):
    """Yield names, and functions without arguments that return the outputs of one state.

    ``numeric`` is the case whose model has numbers for its constants.
    """
    method, given = case.inverse, case.given("inverse")
    fixed = {"constants": given["constants"]} if "constants" in given else {}
    others = {name: x for name, x in given.items() if name != "constants"}

    def rows(count):
        return [np.repeat(np.asarray(x, float)[None], count, 0) for x in state]

    def compiled(**options):
        return method.compile(NAMES, **options)

    def at(result, place=...):
        return {name: np.asarray(result.outputs[name])[place] for name in NAMES}

    def strided():
        wide = [np.zeros((6, 2 * len(x))) for x in state]
        for array, x in zip(wide, state, strict=True):
            array[:, ::2] = x
        return at(compiled()(*(x[::2, ::2] for x in wide), **given), 1)

    def written():
        evaluate = compiled()
        out = {name: np.empty((3, *evaluate.shapes[name])) for name in NAMES}
        evaluate(*rows(3), **given, out=out)
        return {name: array[2] for name, array in out.items()}

    def saved():
        compiled().save(folder / "saved.json")
        return at(jw.load(folder / "saved.json")(*state, **given))

    def ufunc():
        evaluate = compiled()
        options = {name: given[name] for name in ("constants", "specifieds") if name in given}
        names = [name for name in ("q", "u", "udot", "times") if evaluate.inputs[name]]
        arrays = [*state, given.get("times")]
        found = evaluate.as_ufunc(*names, **options)(*arrays[: len(names)])
        return dict(zip(NAMES, map(np.asarray, found), strict=True))

    def trajectory():
        start = given.get("times", 0.0)
        motion = jw.Trajectory(start + np.arange(3.0), *rows(3))
        return at(compiled()(motion, **{x: v for x, v in given.items() if x != "times"}), 0)

    def arrays():
        named = {"constants": {s.name: x for s, x in given.get("constants", {}).items()}}
        told = {str(s): np.full(3, x) for s, x in given.get("specifieds", {}).items()}
        more = {"specifieds": told} if told else {}
        more |= {"times": np.full(3, given["times"])} if "times" in given else {}
        return at(compiled()(*rows(3), **(named if fixed else {}), **more), 1)

    def numbers():
        return at(numeric.inverse.compile(NAMES)(*state, **numeric.given("inverse")))

    yield "one sample", lambda: at(compiled()(*state, **given))
    yield "batch", lambda: at(compiled()(*rows(9), **given), 8)
    yield "lists", lambda: at(compiled()(*(x.tolist() for x in state), **given))
    yield "broadcast", lambda: at(compiled()(rows(3)[0], *state[1:], **given), 2)
    yield "strided", strided
    yield "by name, with arrays", arrays
    yield "Trajectory", trajectory
    yield "out=", written
    yield "threads", lambda: at(compiled(threads=2)(*rows(9000), **given), 8999)
    yield "numpy", lambda: at(compiled(backend="numpy")(*state, **given))
    yield "numpy, batch", lambda: at(compiled(backend="numpy")(*rows(9), **given), 8)
    if fixed:
        yield "constants fixed", lambda: at(compiled(**fixed)(*state, **others))
        yield "constants fixed, batch", lambda: at(compiled(**fixed)(*rows(9), **others), 8)
    yield "pickled", lambda: at(pickle.loads(pickle.dumps(compiled()))(*state, **given))
    yield "copied", lambda: at(copy.deepcopy(compiled())(*state, **given))
    yield "saved", saved
    yield "as_ufunc", ufunc
    yield "derivatives", lambda: at(compiled(derivatives=["u"])(*state, **given))
    if fixed and not numeric.inverse.constants:
        yield "numbers in the model", numbers


def doors(case):
    """Return functions that return an output of the case's state, by their library."""
    evaluate, given, name = case.inverse.compile(NAMES[0]), case.given("inverse"), NAMES[0]
    rows = [np.array([*given.get(x, {}).values()]) for x in ("constants", "specifieds")]
    rows = [*case.state, *rows, *([np.array(given["times"])] if "times" in given else [])]

    def by_jax():
        import jax

        jax.config.update("jax_enable_x64", True)
        return evaluate.to_jax(name)(*rows)

    def by_torch():
        import torch

        return evaluate.to_torch(name)(*map(torch.from_numpy, rows)).numpy()

    def by_numba():
        out = np.empty(evaluate.shapes[name])
        evaluate.to_numba(name)(out, *map(np.atleast_1d, rows))
        return out

    return dict(zip(DOORS, (by_jax, by_torch, by_numba), strict=True))
