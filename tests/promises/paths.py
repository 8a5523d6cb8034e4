"""Paths from a model to its numbers: calls with what they need, and nothing else."""

import copy
import pickle

import numpy as np

import jointwrench as jw

#: What is compiled once more, where code differs.
FEW = ("generalized_forces", "joint_wrenches")
DERIVED = {"outputs": "generalized_forces", "derivatives": ("q", "u", "udot")}
DOORS = ("jax", "torch", "numba")
HELD = "Evaluator: as_ufunc save to_jax to_torch to_numba; jw: load"


def paths(case, numeric, state, folder):
    """Yield names, and functions without arguments that return the outputs of one state.

    ``numeric`` is the case whose model has numbers for its constants.
    """
    method, names, given = case.inverse, case.outputs["inverse"], case.given("inverse")
    fixed = {"constants": given["constants"]} if "constants" in given else {}
    others = {name: x for name, x in given.items() if name != "constants"}
    timeless = {name: x for name, x in given.items() if name != "times"}

    def rows(count):
        return [np.repeat(np.asarray(x, float)[None], count, 0) for x in state]

    def whole(**options):
        return method.compile(names, **options)

    def at(result, place=...):
        return {name: np.asarray(x)[place] for name, x in result.outputs.items()}

    def strided():
        wide = [np.repeat(x, 2, -1) for x in rows(6)]
        return at(whole()(*(x[::2, ::2] for x in wide), **given), 1)

    def written():
        out = {name: np.empty((3, *shape)) for name, shape in whole().shapes.items()}
        whole()(*rows(3), **given, out=out)
        return {name: array[2] for name, array in out.items()}

    def saved():
        whole().save(folder / "saved.json")
        return at(jw.load(folder / "saved.json")(*state, **given))

    def ufunc():
        arrays = [*state, *([given["times"]] if "times" in given else [])]
        groups = ("q", "u", "udot", "times")[: len(arrays)]
        found = whole().as_ufunc(*groups, **timeless)(*arrays)
        return dict(zip(names, map(np.asarray, found), strict=True))

    def trajectory():
        motion = jw.Trajectory(given.get("times", 0.0) + np.arange(3.0), *rows(3))
        return at(whole()(motion, **timeless), 0)

    def by_name():
        told = {name: {str(s): x for s, x in given[name].items()} for name in timeless}
        if "specifieds" in told:
            told["specifieds"] = {s: np.full(3, x) for s, x in told["specifieds"].items()}
        more = {"times": np.full(3, given["times"])} if "times" in given else {}
        return at(whole()(*rows(3), **told, **more), 1)

    def numbers():
        few = [name for name in FEW if name in names]
        return at(numeric.inverse.compile(few)(*state, **numeric.given("inverse")))

    yield "one sample", lambda: at(whole()(*state, **given))
    yield "batch", lambda: at(whole()(*rows(9), **given), 8)
    yield "lists", lambda: at(whole()(*(x.tolist() for x in state), **given))
    yield "broadcast", lambda: at(whole()(rows(3)[0], *state[1:], **given), 2)
    yield "strided", strided
    yield "by name, with arrays", by_name
    yield "Trajectory", trajectory
    yield "out=", written
    yield "threads", lambda: at(whole(threads=2)(*rows(9000), **given), 8999)
    yield "numpy", lambda: at(whole(backend="numpy")(*state, **given))
    yield "numpy, batch", lambda: at(whole(backend="numpy")(*rows(9), **given), 8)
    yield "pickled", lambda: at(pickle.loads(pickle.dumps(whole()))(*state, **given))
    yield "copied", lambda: at(copy.deepcopy(whole())(*state, **given))
    yield "saved", saved
    yield "as_ufunc", ufunc
    yield "derivatives", lambda: at(method.compile(**DERIVED)(*state, **given))
    if fixed:
        yield "fixed", lambda: at(method.compile(FEW, **fixed)(*state, **others))
        yield "fixed, batch", lambda: at(method.compile(FEW, **fixed)(*rows(9), **others), 8)
    if fixed and not numeric.inverse.constants:
        yield "numbers in the model", numbers


def doors(case):
    """Return functions that return an output of the case's state, by their library."""
    name, given = FEW[0], case.given("inverse")
    evaluate = case.inverse.compile(name)
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
