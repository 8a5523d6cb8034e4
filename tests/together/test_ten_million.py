"""The example with dask, on a cluster of which it gets only the address."""

import numpy as np
import pytest
from example_scripts import example

distributed = pytest.importorskip("dask.distributed", reason="needs dask[distributed]")


@pytest.mark.slow  # CI runs it
@pytest.mark.filterwarnings("ignore")  # of dask and what it uses, as they like
def test_on_a_cluster_by_address(tmp_path, capsys):
    script = example("ten_million")
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    options |= {"processes": False, "protocol": "tcp"}
    with distributed.LocalCluster(**options, local_directory=str(tmp_path)) as cluster:
        found = script.main(cluster.scheduler_address, samples=300_000)
    assert "300,000 samples on 1 workers" in capsys.readouterr().out
    times = np.linspace(0, script.DURATION, 300_000)
    loads = script.shoulder_load(times, script.make_evaluator())
    np.testing.assert_allclose(found, loads.max(axis=0), rtol=1e-12)
