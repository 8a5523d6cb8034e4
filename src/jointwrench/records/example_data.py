"""The measured trials and models of the examples, which come with the package."""

from pathlib import Path

from ..checks.arguments import is_one_of
from ..checks.messages import did_you_mean

FOLDER = Path(__file__).parents[1] / "data"


def example_data(name: str) -> Path:
    """Return the path of an example's file or folder of files.

    ========================= ===================================================
    ``walking_trial.txt``     markers of a leg and a force plate, in a plane
    ``whole_trial``           a folder: ``subject01.osim``, ``walk.trc``,
                              ``walk_grf.mot``, ``walk_grf.xml``, ``setup_ik.xml``
    ``two_plates.c3d``        a gait laboratory's trial: two legs, two plates
    ``swing_leg.osim``        a pelvis and a leg, whose knee slides
    ``panda.urdf``            the robot Franka Panda
    ``panda_controller.c``    a controller for it
    ``SOURCE.md``             the origin and the licence of each file
    ========================= ===================================================

    Parameters
    ==========

    name : str
        A name in the table, or a file in a folder: ``"whole_trial/walk.trc"``.

    Raises
    ======

    FileNotFoundError
        If there is no such file; the message lists all of them.

    See Also
    ========

    read_csv, read_trc, read_c3d, read_osim, read_urdf : readers of these files

    Examples
    ========

    >>> import jointwrench as jw
    >>> robot = jw.robots.read_urdf(jw.example_data("panda.urdf"))
    >>> len(robot.coordinates)
    7
    """
    if not is_one_of(name, known := _names()):
        raise FileNotFoundError(
            f"`name` must be a file of the examples, got {name!r}."
            f"{did_you_mean(name, known)} There are: {', '.join(known)}."
        )
    return FOLDER / name


def _names() -> list[str]:
    paths = (path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*"))
    return sorted(name for name in paths if not name.startswith("LICENSE"))
