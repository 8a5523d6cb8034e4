"""Tutorials and examples run as the notebooks that the site offers, in a folder that is empty."""

import importlib.util
import shutil
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient", reason="needs nbclient and ipykernel")
nbformat = pytest.importorskip("nbformat")
notebook = pytest.importorskip("sphinx_gallery.notebook", reason="needs sphinx-gallery")
if importlib.util.find_spec("ipykernel") is None:
    pytest.skip("needs ipykernel", allow_module_level=True)

ROOT = Path(__file__).parents[2]
SCRIPTS = [*(ROOT / "examples").rglob("*.py"), *(ROOT / "docs" / "tutorials").rglob("*.py")]
NEEDS = {"ten_million": "dask"} | dict.fromkeys(("gentle_arm", "swing_up"), "casadi")
NEEDS |= {"policy_gradient": "jax", "learned_residual": "torch", "numba_ode": "numba"}
#: Those that print and draw nothing.
WITHOUT_PICTURE = {"panda_controller"}


@pytest.mark.slow  # CI runs it
@pytest.mark.filterwarnings("ignore")  # of Jupyter, as it likes
@pytest.mark.parametrize("script", sorted(SCRIPTS), ids=lambda path: path.stem)
def test_notebook(script, tmp_path, monkeypatch):
    pytest.importorskip(NEEDS.get(script.stem, "jointwrench"))
    monkeypatch.delenv("MPLBACKEND", raising=False)  # pictures are shown in the notebook
    shutil.copy(script, tmp_path)
    notebook.python_to_jupyter_cli([str(tmp_path / script.name)])
    (tmp_path / script.name).unlink()
    book = nbformat.read(tmp_path / f"{script.stem}.ipynb", as_version=4)
    where = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(book, timeout=600, kernel_name="python3", resources=where).execute()
    shown = [out for cell in book.cells for out in cell.get("outputs", ())]
    assert any(out.output_type == "stream" and out.name == "stdout" for out in shown)
    assert not [out.text for out in shown if out.get("name") == "stderr"]
    pictures = [out for out in shown if "image/png" in out.get("data", {})]
    assert bool(pictures) != (script.stem in WITHOUT_PICTURE)
