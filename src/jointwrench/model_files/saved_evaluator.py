"""Evaluators from the files that `Evaluator.save` wrote."""

import os

from ..friction.nan_warnings import HERE, restored
from ..mechanics.evaluation.evaluator import Evaluator
from ..mechanics.evaluation.loading import read_evaluator


def load(path: str | os.PathLike[str]) -> Evaluator:
    """Return an evaluator from a file written by `Evaluator.save`.

    The file has the program in C, and in Python for machines without a compiler.  It is compiled
    here, unless cached, and run: load only files from people you trust.  Neither sympy nor the
    model is needed, so that processes of a controller or a cluster start quickly.

    Parameters
    ==========

    path : str or path
        The file.

    Returns
    =======

    Evaluator
        It returns the same numbers.  Joints are given by name, constants and specifieds by name or
        by a symbol of that name.  It has no powers, no points and frames other than those of the
        outputs, and no derivatives that were not compiled.

    Raises
    ======

    TypeError
        If ``path`` is not a path.
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is not such a file, was changed (by a single character), or has the format of
        another version.
    CompilationError
        If its code cannot be compiled and it has none for numpy.

    See Also
    ========

    Evaluator.save : Writes the file.

    Examples
    ========

    >>> import tempfile
    >>> from pathlib import Path
    >>> import jointwrench as jw
    >>> chain = jw.SerialChain.planar(1, gravity=(0, -9.81, 0))
    >>> evaluate = jw.InverseDynamics(chain.system).compile("generalized_forces")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     evaluate.save(Path(folder) / "pendulum.json")
    ...     loaded = jw.load(Path(folder) / "pendulum.json")
    >>> loaded([0], [0], [1], {"l_0": 0.5, "m_0": 2.0, "I_0": 0.04}).generalized_forces
    array([0.165])
    """
    return read_evaluator(path, {HERE: restored})
