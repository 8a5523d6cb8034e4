"""Access to private members of opty."""

from inspect import getattr_static
from typing import Any

import numpy as np
from opty import Problem
from opty.direct_collocation import ConstraintCollocator

from ..checks.private_names import private, require_names

require_names(ConstraintCollocator, "_instance_constraints_jacobian_indices")


def initialize(problem: Problem, *arguments: Any, **options: Any) -> None:
    """Call the constructor of Problem, which opty's descriptor for docstrings hides from super."""
    private(getattr_static(Problem, "__init__"), "mthd")(problem, *arguments, **options)


def is_equality(problem: Problem) -> np.ndarray:
    """Return a boolean mask of the constraints of a Problem that are equations."""
    return np.equal(private(problem, "_low_con_bounds"), private(problem, "_upp_con_bounds"))


def instance_indices(collocator: ConstraintCollocator) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and columns of the derivatives of instance constraints."""
    rows, columns = private(collocator, "_instance_constraints_jacobian_indices")()
    return rows, columns


def has_free_interval(collocator: ConstraintCollocator) -> bool:
    """Whether the interval between nodes is a free variable."""
    return bool(private(collocator, "_variable_duration"))
