"""The walking trial of the examples, read once: model, markers, plates and weights.

Who adds loads to the model reads it again.
"""

from functools import cache

import jointwrench as jw

FOLDER = jw.example_data("whole_trial")


@cache
def model():
    return jw.musculoskeletal.read_osim(FOLDER / "subject01.osim")


@cache
def markers():
    return jw.recordings.read_trc(FOLDER / "walk.trc")


@cache
def loads():
    return jw.recordings.read_external_loads(FOLDER / "walk_grf.xml")


@cache
def tasks():
    return jw.musculoskeletal.read_tracking_tasks(FOLDER / "setup_ik.xml")
