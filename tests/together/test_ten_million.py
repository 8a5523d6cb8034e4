"""The example with dask, on a cluster of which it gets only the address."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

distributed = pytest.importorskip("dask.distributed", reason="needs dask[distributed]")


@pytest.fixture
def example():
    path = Path(__file__).parents[2] / "examples" / "ten_million.py"
    spec = importlib.util.spec_from_file_location(
        "example", path
    )  # not in sys.modules, so sent by value
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow  # CI runs it
@pytest.mark.filterwarnings("ignore")  # of dask and what it uses, as they like
def test_on_a_cluster_by_address(example, tmp_path, capsys):
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    options |= {"processes": False, "protocol": "tcp"}
    with distributed.LocalCluster(**options, local_directory=str(tmp_path)) as cluster:
        found = example.main(cluster.scheduler_address, samples=300_000)
    assert "300,000 samples on 1 workers" in capsys.readouterr().out
    times = np.linspace(0, example.DURATION, 300_000)
    loads = example.shoulder_load(times, example.make_evaluator())
    np.testing.assert_allclose(found, loads.max(axis=0), rtol=1e-12)
