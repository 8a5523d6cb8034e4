"""The order of the gallery: tutorials as one learns, examples by name."""

from pathlib import Path

#: The tutorials in the order in which they are read.
TUTORIALS = (
    "getting_started",
    "a_model_of_sympy",
    "linkage",
    "textbook_problems",
    "limb_and_chain",
    "teaching",
    "robotics",
    "biomechanics",
    "gait_laboratory",
)


class ByReading:
    """Key by which sphinx-gallery sorts the files of a folder."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, name):
        stem = Path(name).stem
        return TUTORIALS.index(stem) if Path(self.folder).name == "tutorials" else stem

    def __repr__(self):
        return "<ByReading>"
