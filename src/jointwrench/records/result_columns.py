"""The results of an evaluation as named columns, a table, or a pandas DataFrame."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..checks.messages import import_extra
from .tables import Table
from .wrench_components import COMPONENTS


def columns_of(result: Any) -> dict[tuple[str, str], np.ndarray]:
    """Return the columns of a result by (joint, component), as `Result.columns` documents."""
    outputs, speeds = result.outputs, result.speeds
    columns: dict[tuple[str, str], np.ndarray] = {}
    forces = _by_symbol(outputs.get("generalized_forces"), speeds)
    for index, joint in enumerate(result.joints):
        if "joint_wrenches" in outputs:
            for k, component in enumerate(COMPONENTS):
                columns[joint.name, component] = outputs["joint_wrenches"][..., index, k]
        own = [speed for speed in getattr(joint, "speeds", None) or () if speed in forces]
        for speed in own:
            columns[joint.name, _label(speed)] = forces.pop(speed)
        if result._has_power(index):
            columns[joint.name, "power"] = result.joint_power(joint)
    for speed, values in forces.items():  # the speeds that belong to no joint
        columns["system", _label(speed)] = values
    for load, values in _by_symbol(outputs.get("solved_loads"), result.loads).items():
        columns["loads", str(getattr(load, "name", load))] = values
    if not columns:
        raise ValueError(
            "`result` must have joint wrenches, generalized forces or solved loads for this, got "
            f"{', '.join(outputs)}. Use result.outputs."
        )
    return columns


def table_of(times: np.ndarray, columns: Mapping[tuple[str, str], np.ndarray]) -> Table:
    """Return a Table of the columns over time, with names such as ``knee_fx``."""
    names = [f"{joint}_{text}".replace(" ", "_") for joint, text in columns]
    return Table(times, names, np.stack(list(columns.values()), -1))


def dataframe_of(times: np.ndarray | None, columns: Mapping[tuple[str, str], np.ndarray]) -> Any:
    """Return a pandas DataFrame of the columns, as `Result.to_dataframe` documents."""
    instead = ", or result.columns() and result.to_table(), which do without"
    pandas = import_extra("pandas", "to_dataframe()", "data", instead)
    batch = next(iter(columns.values())).shape
    labels = pandas.MultiIndex.from_tuples(columns, names=["joint", "component"])
    values = np.stack([np.ravel(column) for column in columns.values()], -1)
    rows = _rows(pandas, batch, times)
    return pandas.DataFrame(values, index=rows, columns=labels)


def _by_symbol(values: np.ndarray | None, symbols: Sequence[Any]) -> dict[Any, np.ndarray]:
    if values is None:
        return {}
    return {symbol: values[..., k] for k, symbol in enumerate(symbols)}


def _label(speed: Any) -> str:
    return f"Q {getattr(speed, 'name', speed)}"


def _rows(pandas: Any, batch: tuple[int, ...], times: np.ndarray | None) -> Any:
    """Return the pandas index of the rows: the times, or the indices of the samples."""
    if len(batch) == 1 and times is not None:
        return pandas.Index(np.broadcast_to(times, batch), name="time")
    if len(batch) > 1:
        return pandas.MultiIndex.from_product([range(n) for n in batch])
    return pandas.RangeIndex(batch[0] if batch else 1, name="sample")
