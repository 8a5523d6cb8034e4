"""Which backend evaluates what names none."""

import pytest

from jointwrench.mechanics.evaluation import compilation


def evaluate_by_numpy(patch: pytest.MonkeyPatch) -> None:
    """Let it be numpy: for few samples it is quicker than a compiler."""
    choose = compilation._choose

    def chosen(backend: object) -> str:
        return choose("numpy" if isinstance(backend, str) and backend == "auto" else backend)

    patch.setattr(compilation, "_choose", chosen)
