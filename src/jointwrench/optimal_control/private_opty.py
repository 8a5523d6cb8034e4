"""Uses of private parts of opty."""

from inspect import getattr_static
from typing import Any

import numpy as np
from opty import Problem
from opty.direct_collocation import ConstraintCollocator

from ..checks.private_names import demand, private

demand(ConstraintCollocator, "_instance_constraints_jacobian_indices")


def initialize(problem: Problem, *arguments: Any, **options: Any) -> None:
    """Call the constructor of Problem: opty's descriptor for docstrings lacks `super`."""
    private(getattr_static(Problem, "__init__"), "mthd")(problem, *arguments, **options)


def is_equality(problem: Problem) -> np.ndarray:
    """Return which constraints of a Problem are equations."""
    return np.equal(private(problem, "_low_con_bounds"), private(problem, "_upp_con_bounds"))


def instance_indices(collocator: ConstraintCollocator) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of the derivatives of conditions at instants."""
    rows, columns = private(collocator, "_instance_constraints_jacobian_indices")()
    return rows, columns


def has_free_interval(collocator: ConstraintCollocator) -> bool:
    """Whether the time between nodes is a free variable."""
    return bool(private(collocator, "_variable_duration"))
