"""The order of the gallery: tutorials as one learns, examples by name."""

from pathlib import Path

#: The tutorials in the order in which they are read.
TUTORIALS = (
    "getting_started",
    "a_model_of_sympy",
    "learn_multibody_dynamics",
    "linkage",
    "how_much_does_each_hinge_carry",
    "teaching",
    "robotics",
    "biomechanics",
    "gait_laboratory",
)

#: The textbook problems, the simplest first.
PROBLEMS = (
    "falling_rod",
    "falling_chimney",
    "cart_and_pole",
    "bead_on_hoop",
    "double_pendulum",
    "load_on_arm",
    "spinning_top",
    "skewed_disc",
    "tennis_racket",
    "slider_crank",
)
ORDERS = {"tutorials": TUTORIALS, "textbook": PROBLEMS}


class ByReading:
    """Key by which sphinx-gallery sorts the files of a folder."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, name):
        stem, order = Path(name).stem, ORDERS.get(Path(self.folder).name)
        return order.index(stem) if order else stem

    def __repr__(self):
        return "<ByReading>"
