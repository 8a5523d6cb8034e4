"""Writes jw.example_data("two_plates.c3d"), a trial as gait laboratories record it.

``python benchmarks/two_plates.py``.  The segments move as those of the person in ``whole_trial``
did on a treadmill: clusters of markers carry them, skin and all.  The belt's speed is added to
all places, so that the person walks through the room, and one step of each foot is on a plate.
Markers have Plug-in Gait's names; noise and offsets are made.
"""

import numpy as np

import jointwrench as jw
from jointwrench.gait.joint_centers import transfer_points

TRIAL = jw.example_data("whole_trial")
CAMERAS = 60  # frames per second of the trial
RATE, PER_FRAME = 100, 5  # frames per second, samples of the plates per frame
AXES = "x -z y"  # of OpenSim's, with y up, those that become the laboratory's, with z up
SUBJECT = {"Bodymass": 72.6, "Height": 1800.0}
SIZE = np.array([0.464, 0.508])  # of a plate, in m
SENSORS = np.array([0.0, 0.0, -0.04])  # their middle is below the surface
OFFSETS = np.array([0.4, -0.6, 3.0, 0.2, -0.3, 0.1])  # N, N m

#: Markers that are carried by clusters, by body.
CARRIED = {
    "femur": (("Thigh.Upper", "Thigh.Front", "Thigh.Rear"), ("Knee.Lat", "Knee.Med")),
    "tibia": (("Shank.Upper", "Shank.Front", "Shank.Rear"), ("Ankle.Lat", "Ankle.Med")),
}

#: What laboratories call them.
NAMES = {
    "ASI": "ASIS",
    **{"THI": "Thigh.Front", "KNE": "Knee.Lat", "KNM": "Knee.Med"},
    **{"TIB": "Shank.Front", "ANK": "Ankle.Lat", "MED": "Ankle.Med", "HEE": "Heel"},
}


def paths_of(model, trial):
    """Return the markers' paths on the treadmill by their new names, shape (N, 3)."""
    found = {}
    for side in "RL":
        paths = dict(trial)
        for body, (cluster, carried) in CARRIED.items():
            name = f"{body}_{side.lower()}"
            frame, origin = model.bodies[name].frame, model.origins[name]

            def places(markers, side=side, frame=frame, origin=origin):
                vectors = [model.markers[f"{side}.{m}"].pos_from(origin) for m in markers]
                return np.array([v.to_matrix(frame) for v in vectors], dtype=float)[..., 0]

            moving = np.stack([trial[f"{side}.{m}"] for m in cluster], axis=1)
            moved = transfer_points(places(cluster), places(carried), moving)
            paths |= {f"{side}.{m}": moved[:, k] for k, m in enumerate(carried)}
        found |= {side + new: paths[f"{side}.{old}"] for new, old in NAMES.items()}
        found[f"{side}TOE"] = (trial[f"{side}.Toe.Lat"] + trial[f"{side}.Toe.Med"]) / 2
    across = found["RASI"] - found["LASI"]
    across *= 0.04 / np.linalg.norm(across, axis=-1, keepdims=True)
    return found | {"RPSI": trial["V.Sacral"] + across, "LPSI": trial["V.Sacral"] - across}


def belt_speed(times, paths, loads):
    """Return how fast the feet go backward while they stand."""
    speeds = []
    for side, load in zip("RL", loads, strict=True):
        begin, end = load.contacts()[0]
        part = (times > begin + 0.3 * (end - begin)) & (times < begin + 0.5 * (end - begin))
        speeds.append(np.polyfit(times[part], paths[f"{side}HEE"][part, 0], 1)[0])
    return -np.mean(speeds)


def plate_of(load, speed, times):
    """Return one step of a foot in the room: the plate's corners (4, 3), its channels (N, 6)."""
    step = load.during(*load.contacts()[0]).at(times)
    shift = np.stack([speed * times, 0 * times, 0 * times], axis=-1)
    loaded = (step.load > 5.0)[:, None]
    force, moment = loaded * step.force, loaded * (step.moment + np.cross(shift, step.force))
    places = (step.center_of_pressure(threshold=50.0) + shift)[:, :2]
    middle = np.append((np.nanmax(places, axis=0) + np.nanmin(places, axis=0)).round(2) / 2, 0.0)
    axes = np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, -1]])  # columns: x left, y forward, z down
    signs = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)])
    corners = middle + (signs * SIZE[::-1] / 2) @ axes[:, :2].T
    about = moment - np.cross(middle - axes @ SENSORS, force)
    return corners, np.concatenate([force @ axes, about @ axes], axis=1)


def write(path, places, names, plates, events):
    """Write a C3D file; places in mm."""
    import ezc3d

    file = ezc3d.c3d()
    parameters = file["parameters"]
    parameters["POINT"]["RATE"]["value"] = [RATE]
    parameters["POINT"]["UNITS"]["value"] = ("mm",)
    parameters["POINT"]["LABELS"]["value"] = tuple(names)
    points = np.ones((4, len(names), len(places)))
    points[:3] = places.transpose(2, 1, 0)
    file["data"]["points"] = points
    labels = [f"{c}{k}" for k in (1, 2) for c in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")]
    parameters["ANALOG"]["RATE"]["value"] = [RATE * PER_FRAME]
    parameters["ANALOG"]["LABELS"]["value"] = tuple(labels)
    parameters["ANALOG"]["UNITS"]["value"] = ("N", "N", "N", "Nmm", "Nmm", "Nmm") * 2
    scale = [1, 1, 1, 1000, 1000, 1000]
    file["data"]["analogs"] = np.concatenate([c * scale for _, c in plates], axis=1).T[None]
    platform = {
        "USED": [2],
        "TYPE": [2, 2],
        "ZERO": [1, 0],
        "CORNERS": np.stack([1000 * corners.T for corners, _ in plates], axis=-1),
        "ORIGIN": np.stack([1000 * SENSORS] * 2, axis=-1),
        "CHANNEL": np.arange(1, 13).reshape(2, 6).T,
    }
    for name, value in platform.items():
        parameters["FORCE_PLATFORM"][name]["value"] = value
    file.add_parameter("EVENT", "USED", [len(events)])
    file.add_parameter("EVENT", "CONTEXTS", [event.side.title() for event in events])
    file.add_parameter("EVENT", "LABELS", [event.label for event in events])
    file.add_parameter("EVENT", "TIMES", np.array([[0.0, event.time] for event in events]).T)
    for name, value in SUBJECT.items():
        file.add_parameter("PROCESSING", name, [value])
    file.write(str(path))


def main(path):
    """Write the file."""
    rng = np.random.default_rng(1)
    model = jw.musculoskeletal.read_osim(TRIAL / "subject01.osim")
    trial = jw.recordings.read_trc(TRIAL / "walk.trc").in_metres()
    stated = np.arange(len(trial.times)) / CAMERAS  # the file rounds them
    trial = jw.recordings.Markers(stated, trial.names, trial.positions, trial.header)
    seen = [name for name in model.markers if name in trial.names]
    trial = trial.only(seen).smoothed(rate=RATE).turned(AXES)
    times = trial.times[:-1]
    paths = paths_of(model, trial)
    loads = [
        load.plate.turned(AXES)
        for load in jw.recordings.read_external_loads(TRIAL / "walk_grf.xml")
    ]
    speed = belt_speed(trial.times, paths, loads)
    places = 1000 * np.stack(list(paths.values()), axis=1)[:-1]
    places[..., 0] += 1000 * speed * times[:, None]
    places += rng.normal(scale=0.2, size=places.shape)
    places[60:68, list(paths).index("LTHI")] = np.nan  # an arm was before it
    samples = np.arange(len(times) * PER_FRAME) / (RATE * PER_FRAME)
    plates = []
    for load in loads:
        corners, channels = plate_of(load, speed, samples)
        noise = rng.normal(scale=[0.3, 0.3, 1, 0.1, 0.1, 0.1], size=channels.shape)
        plates.append((corners, channels + OFFSETS + noise))
    events = [
        jw.recordings.Event(round(time, 3), label, side)
        for side, load in zip(("right", "left"), loads, strict=True)
        for start, end in load.contact_rows(least=0.02)
        for row, label in ((start, "Foot Strike"), (end, "Foot Off"))
        if 0 < row < len(load.times)
        for time in [load.times[row]]
    ]
    write(path, places, paths, plates, sorted(events))


if __name__ == "__main__":
    main(jw.example_data("two_plates.c3d"))
