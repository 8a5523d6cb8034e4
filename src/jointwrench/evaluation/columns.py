"""The results of an evaluation as named columns, a table, or a pandas DataFrame."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Expr

from ..checks.extras import import_extra
from ..records.tables import Table
from ..spatial.wrench import COMPONENTS

if TYPE_CHECKING:
    from .result import Result


def columns_of(result: "Result") -> dict[tuple[str, str], np.ndarray]:
    """Return every number by (joint, component), as `Result.columns` tells."""
    columns: dict[tuple[str, str], np.ndarray] = {}
    forces = _forces(result)
    for index, joint in enumerate(result.joints):
        if "joint_wrenches" in result.outputs:
            for k, component in enumerate(COMPONENTS):
                columns[joint.name, component] = result.joint_wrenches[..., index, k]
        own = [speed for speed in getattr(joint, "speeds", None) or () if speed in forces]
        for speed in own:
            columns[joint.name, _label(speed)] = forces.pop(speed)
        if (power := _power(result, index)) is not None:
            columns[joint.name, "power"] = power
    for speed, values in forces.items():  # those of no joint
        columns["system", _label(speed)] = values
    if "solved_loads" in result.outputs:
        for load, values in result.solved_loads.items():
            columns["loads", str(getattr(load, "name", load))] = values
    if not columns:
        raise ValueError(
            "`result` must have joint wrenches, generalized forces or solved loads for this, got "
            f"{', '.join(result.outputs)}. Use result.outputs."
        )
    return columns


def table_of(result: "Result", times: np.ndarray) -> Table:
    """Return the columns over time, with names such as ``knee_fx``."""
    columns = columns_of(result)
    names = [f"{joint}_{text}".replace(" ", "_") for joint, text in columns]
    return Table(times, names, np.stack(list(columns.values()), -1))


def dataframe_of(result: "Result") -> Any:
    """Return a pandas DataFrame, as `Result.to_dataframe` tells."""
    instead = ", or result.columns() and result.to_table(), which do without"
    pandas = import_extra("pandas", "to_dataframe()", "data", instead)
    columns = columns_of(result)
    batch = next(iter(columns.values())).shape
    labels = pandas.MultiIndex.from_tuples(columns, names=["joint", "component"])
    values = np.stack([np.ravel(column) for column in columns.values()], -1)
    rows = _rows(pandas, batch, result.times)
    return pandas.DataFrame(values, index=rows, columns=labels)


def _forces(result: "Result") -> dict[Expr, np.ndarray]:
    """Return the generalized forces by speed, as far as both are known."""
    if "generalized_forces" not in result.outputs or result.inputs is None:
        return {}
    forces = result.generalized_forces
    return {speed: forces[..., k] for k, speed in enumerate(result.inputs.speeds)}


def _power(result: "Result", index: int) -> np.ndarray | None:
    """Return the power of a joint that moves, None where something that it needs is not known."""
    return result.joint_power(result.joints[index]) if result._has_power(index) else None


def _label(speed: Expr) -> str:
    return f"Q {getattr(speed, 'name', speed)}"


def _rows(pandas: Any, batch: tuple[int, ...], times: np.ndarray | None) -> Any:
    """Return what labels the rows: time, or the numbers of the samples."""
    if len(batch) == 1 and times is not None:
        return pandas.Index(np.broadcast_to(times, batch), name="time")
    if len(batch) > 1:
        return pandas.MultiIndex.from_product([range(n) for n in batch])
    return pandas.RangeIndex(batch[0] if batch else 1, name="sample")
