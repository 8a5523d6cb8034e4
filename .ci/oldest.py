"""Prints the oldest versions that pyproject.toml allows, of all requirements and extras, for pip.

    python .ci/oldest.py > oldest.txt && python -m pip install --constraint oldest.txt ...

jointwrench must be installed.  What tests, measures and documents it may be of any version.
"""

from importlib.metadata import requires

from packaging.requirements import Requirement
from packaging.version import Version

TOOLS = {"benchmark", "docs", "test"}
oldest: dict[str, Version] = {}
for requirement in map(Requirement, requires("jointwrench") or ()):
    marker = str(requirement.marker or "")
    if any(f'extra == "{extra}"' in marker for extra in TOOLS):
        continue
    for bound in requirement.specifier:
        if bound.operator in (">=", "=="):
            found = Version(bound.version)
            oldest[requirement.name] = max(found, oldest.get(requirement.name, found))
print(*(f"{name}=={version}" for name, version in sorted(oldest.items())), sep="\n")
