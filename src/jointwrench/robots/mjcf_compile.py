"""MuJoCo's compiler, also for models whose visual meshes are missing."""

from os import PathLike
from typing import Any
from warnings import catch_warnings, simplefilter

from ..checks.files import existing_file
from ..checks.messages import warn
from ..records.xml_tree import Element, is_text, read_xml, source_name
from .mjcf_sizes import check_size

#: MuJoCo's message for a missing file.
MISSING = "opening file"

#: The size of a massless sphere that replaces a shape.
SMALL = 1e-3


def compile_model(mujoco: Any, source: str | PathLike[str]) -> tuple[Any, Element]:
    """Return MuJoCo's compiled model and its text; missing visual meshes are omitted."""
    if not is_text(source):
        existing_file("source", source)
    check_size(source)
    messages: list[Any] = []  # otherwise MuJoCo writes its warnings to a file in the current folder
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(messages.append)
    try:
        with catch_warnings(record=True) as caught:
            simplefilter("always")
            try:
                return _compile(mujoco, source)
            finally:
                messages += [warning.message for warning in caught]
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise ValueError(
            f"`source` must be a model that MuJoCo compiles, but of {source_name(source)} it says: "
            f"{_words(error)}"
        ) from None
    finally:
        mujoco.set_mju_user_warning(before)
        for words in messages:
            warn(f"`source`: of {source_name(source)} MuJoCo says: {words}")


def _compile(mujoco: Any, source: str | PathLike[str]) -> tuple[Any, Element]:
    """Return the model and its text, without visuals if files are missing.

    An error first names the file.
    """
    make = mujoco.MjSpec.from_string if is_text(source) else mujoco.MjSpec.from_file
    spec = make(str(source))
    try:
        return spec.compile(), read_xml(spec.to_xml())
    except ValueError as error:
        if MISSING not in (missing := _words(error)):
            raise
    spec = make(str(source))
    _drop_massless_geoms(mujoco, spec)
    try:
        return spec.compile(), read_xml(spec.to_xml())
    except ValueError as error:
        if MISSING in (words := _words(error)):
            raise
        raise ValueError(f"{missing}. Without visual meshes: {words}") from None


def _words(error: Exception) -> str:
    return " ".join(str(error).split()).removeprefix("Error: ")


def _drop_massless_geoms(mujoco: Any, spec: Any) -> None:
    """Delete meshes that no inertia needs, and materials; other elements may name the rest."""
    shaped = [geom for geom in spec.geoms if geom.meshname or geom.hfieldname]
    massless = [geom for geom in shaped if not _has_mass(mujoco, spec, geom)]
    needed = {geom.meshname for geom in shaped if geom not in massless}
    for geom in massless:
        geom.meshname = geom.hfieldname = ""
        geom.type, geom.size, geom.mass = mujoco.mjtGeom.mjGEOM_SPHERE, [SMALL] * 3, 0
    for item in (*spec.geoms, *spec.sites):
        item.material = ""
    meshes = [mesh for mesh in spec.meshes if mesh.name not in needed]
    for item in (*spec.skins, *spec.materials, *spec.textures, *spec.hfields, *meshes):
        spec.delete(item)


def _has_mass(mujoco: Any, spec: Any, geom: Any) -> bool:
    """Return whether the inertia of a body comes from a geom."""
    body, compiler = geom.parent, spec.compiler
    always = compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    lowest, highest = compiler.inertiagrouprange
    is_computed = always or not body.explicitinertial
    is_shape = not geom.hfieldname and geom.mass != 0 and lowest <= geom.group <= highest
    return is_computed and is_shape and body.name != spec.worldbody.name
