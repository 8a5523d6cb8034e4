"""Markers to segments: planar angles, least-squares poses, frames of points."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from refusals import refusal, refused
from scipy.spatial.transform import Rotation

import jointwrench as jw
from jointwrench.gait.markers import fit_poses, frame_of_points, segment_angles, segment_lengths

CLUSTER = np.array([[0.04, -0.08, 0], [-0.03, -0.12, 0.04], [0, -0.2, 0.05], [0.03, -0.18, -0.04]])


def test_plane_angles_go_on_beyond_a_turn():
    true = np.linspace(-1, 9, 60)
    distal = np.stack([np.cos(true), np.sin(true)], -1)
    angles = segment_angles(np.zeros_like(distal), distal)
    assert_allclose(np.diff(angles), np.diff(true))
    assert_allclose(np.cos(angles), np.cos(true))


def test_plane_missing_markers_stay_missing():
    distal = np.tile([0.0, -1.0], (5, 1))
    distal[2] = np.nan
    angles = segment_angles(np.zeros((5, 2)), distal, zero=-np.pi / 2)
    assert_allclose(angles, [0, 0, np.nan, 0, 0])
    assert_allclose(segment_lengths(np.zeros((5, 2)), distal), [1, 1, np.nan, 1, 1])


def test_plane_refuses():
    refused(lambda: segment_angles(np.zeros((5, 3)), np.zeros((5, 3))), "proximal")
    refused(lambda: segment_angles(np.zeros((5, 2)), np.zeros((5, 2))), "distal")
    with refusal("distal"):
        segment_angles([[0.3, 1.0]], [[0.1 + 0.2, 1.0]])  # one place but for rounding


@pytest.mark.parametrize("missing", [np.nan, np.inf, -np.inf])
def test_plane_what_is_not_finite_is_missing(missing):
    for places in ([[missing, 0.0]], [[0.0, 1.0]]), ([[0.0, 1.0]], [[0.0, missing]]):
        assert np.isnan(segment_angles(*places)).all()
        assert np.isnan(segment_lengths(*places)).all()


def test_plane_whole_numbers():
    places = np.array([[5, 5]], dtype=np.uint8), np.array([[4, 5]], dtype=np.uint8)
    assert_allclose(segment_angles(*places), np.pi)
    assert_allclose(segment_lengths(*places), 1)


@pytest.fixture
def poses(rng):
    turns = Rotation.from_rotvec(rng.normal(size=(6, 3)))
    places = rng.normal(size=(6, 3))
    return turns, places, np.einsum("nij,kj->nki", turns.as_matrix(), CLUSTER) + places[:, None]


def test_space_rigid_markers(poses):
    turns, places, markers = poses
    found = fit_poses(CLUSTER, markers)
    assert_allclose(found.rotations, turns.as_matrix(), atol=1e-12)
    assert_allclose(found.positions, places, atol=1e-12)
    assert_allclose(found.residuals, 0, atol=1e-12)


def test_space_a_missing_marker(poses):
    turns, _, markers = poses
    markers[2, 1] = np.nan
    assert_allclose(fit_poses(CLUSTER, markers).rotations, turns.as_matrix(), atol=1e-12)


def test_space_is_the_best_fit(poses, rng):
    turns, _, markers = poses
    noisy = markers + rng.normal(scale=1e-3, size=markers.shape)
    found = fit_poses(CLUSTER, noisy)

    def misfit(rotations):
        here = np.einsum("nij,kj->nki", rotations, CLUSTER - CLUSTER.mean(axis=0))
        return (((noisy - noisy.mean(axis=1, keepdims=True)) - here) ** 2).sum(axis=(1, 2))

    best = misfit(found.rotations)
    assert_allclose(np.sqrt(best / 4), found.residuals)
    for axis in np.eye(3):
        turned = Rotation.from_matrix(found.rotations) * Rotation.from_rotvec(1e-3 * axis)
        assert (misfit(turned.as_matrix()) > best).all()
    assert (best <= misfit(turns.as_matrix())).all()


def test_space_quaternions_have_no_jumps():
    angles = np.linspace(0, 4 * np.pi, 50)
    turns = Rotation.from_rotvec(angles[:, None] * [0, 0, 1])
    markers = np.einsum("nij,kj->nki", turns.as_matrix(), CLUSTER)
    quaternions = fit_poses(CLUSTER, markers).quaternions
    assert ((quaternions[1:] * quaternions[:-1]).sum(axis=-1) > 0.9).all()
    assert_allclose(
        Rotation.from_quat(quaternions[:, [1, 2, 3, 0]]).as_matrix(), turns.as_matrix(), atol=1e-9
    )


def test_space_refuses(poses):
    _, _, markers = poses
    refused(lambda: fit_poses(CLUSTER, markers[:, :3]), "markers")
    refused(lambda: fit_poses(CLUSTER[:, :2], markers), "reference")
    line = np.outer(np.arange(4), [1, 2, 3.0])
    refused(lambda: fit_poses(line, line[None]), "reference")
    for places in (line, np.ones((4, 3))):
        refused(lambda: fit_poses(CLUSTER, places[None]), "markers")
    refused(lambda: fit_poses(CLUSTER, markers[:0]), "markers")
    markers[3, :2] = np.nan
    refused(lambda: fit_poses(CLUSTER, markers), "markers")


@pytest.mark.parametrize("factor", [1000, 0.001, 2.54])
def test_space_refuses_another_unit_of_length(poses, factor):
    _, _, markers = poses
    markers[0, 0] = np.nan
    refused(lambda: fit_poses(CLUSTER, factor * markers), "markers")
    few = np.concatenate([1000 * markers[:1], markers])  # a residual tells of single rows
    assert fit_poses(CLUSTER, few).residuals[0] > 10


@pytest.mark.parametrize("axes", ["xy", "yz", "zx", "yx", "zy", "xz"])
def test_space_frames_of_three_places(axes, rng):
    origin, along, beside = rng.normal(size=(3, 5, 3))
    found = frame_of_points(origin, along, beside, axes)
    assert_allclose(np.linalg.det(found.rotations), 1)
    first, second = ("xyz".index(axis) for axis in axes)
    unit = (along - origin) / np.linalg.norm(along - origin, axis=-1, keepdims=True)
    assert_allclose(found.rotations[:, :, first], unit)
    assert (np.einsum("ni,ni->n", found.rotations[:, :, second], beside - origin) > 0).all()


def test_space_frames_refuse():
    here, ahead, beside = np.zeros(3), [1, 0, 0], np.tile([0.0, 1.0, 0.0], (3, 1))
    refused(lambda: frame_of_points(here, ahead, [0, 1, 0], "yy"), "axes")
    refused(lambda: frame_of_points(here, ahead, [0, 1, 0], 3), "axes", TypeError)
    refused(lambda: frame_of_points(here, ahead, [2, 0, 0]), "beside")
    beside[2] = np.nan
    refused(lambda: frame_of_points(here, ahead, beside), "beside")


@pytest.mark.parametrize("off", [0, 1e-15, 1e-4])
def test_space_frames_refuse_what_is_nearly_a_line(off):
    with refusal("beside"):
        frame_of_points([0.1, 0.2, 0.3], [0.2, 0.4, 0.6], [0.3, 0.6, 0.9 + off])
    found = frame_of_points([0.1, 0.2, 0.3], [0.2, 0.4, 0.6], [0.3, 0.6, 0.91])
    assert_allclose(found.rotations[0].T @ found.rotations[0], np.eye(3), atol=1e-12)


def test_space_frames_of_fixed_and_moving_places():
    beside = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found = frame_of_points([0, 0, 0], [1, 0, 0], beside, "xy")
    assert_allclose(found.rotations[:, :, 1], beside)
    assert found.positions.shape == (2, 3)


@pytest.mark.parametrize("shapes", [(3, 4, 4), (3, 3, (3, 2)), ((2, 3, 3),) * 3])
def test_space_frames_refuse_shapes(shapes, rng):
    places = (rng.normal(size=(s, 3) if isinstance(s, int) else s) for s in shapes)
    refused(lambda: frame_of_points(*places), "origin")


def test_public_names_of_frames_are_deprecated():
    """They give what they gave; five others are gone with a word."""
    told = (
        r"^frame_of_markers is deprecated since .*, and version 2.0 removes it. Use lower_limbs\("
    )
    with pytest.warns(DeprecationWarning, match=told) as warned:
        found = jw.gait.frame_of_markers(*np.eye(3))
    assert warned[0].filename == __file__
    assert_allclose(found.rotations, frame_of_points(*np.eye(3)).rotations)
    with pytest.warns(DeprecationWarning, match="Use lower_limbs or upper_limbs with static="):
        assert_allclose(jw.gait.segment_poses(CLUSTER, [CLUSTER + 1]).positions, [[1, 1, 1]])
    for name in ("pelvis_frame", "hip_centers", "chord_center", "carried_points"):
        refused(lambda: getattr(jw.gait, name), None, AttributeError)
