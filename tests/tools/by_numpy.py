"""Which backend evaluates what names none."""

import pytest


def evaluate_by_numpy(patch: pytest.MonkeyPatch) -> None:
    """Let it be numpy: for few samples it is quicker than a compiler."""
    name = "jointwrench.mechanics.evaluation.compilation._choose"
    patch.setattr(name, lambda backend: "numpy" if backend == "auto" else backend)
