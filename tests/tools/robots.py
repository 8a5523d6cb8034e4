"""Robots of example-robot-data for the tests of URDF."""

import importlib.metadata

import numpy as np
import pytest

GRAVITY = (1.0, -2.0, -9.0)


def robot_file(name, ending="urdf"):
    """Return the path of a file of example-robot-data."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("needs example-robot-data (pip install example-robot-data)")
    return next(file.locate() for file in files if file.name == f"{name}.{ending}")


def evaluated(model, *motion, **given):
    """Return a model's default outputs, with the numbers of its file."""
    evaluate = model.inverse_dynamics().compile(backend="numpy")
    return evaluate(*motion, constants=model.constants, **given)


def random_motion(model, count=None, seed=3):
    """Return q with unit quaternions, u and udot of a model, one of each or count of them."""
    numbers = np.random.default_rng(seed)
    shape = () if count is None else (count,)
    sizes = len(model.coordinates), len(model.speeds), len(model.speeds)
    q, u, udot = (numbers.uniform(-1, 1, (*shape, size)) for size in sizes)
    q = model.reference + q / 2
    names = list(model.coordinates)
    for name in names:
        if name.endswith("_qw"):
            parts = [names.index(name.removesuffix("w") + x) for x in "wxyz"]
            q[..., parts] /= np.linalg.norm(q[..., parts], axis=-1, keepdims=True)
    return q, u, udot
