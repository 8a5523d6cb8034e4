"""All public names, those of the package and of its namespaces."""

import jointwrench as jw

HOMES = {"": jw, **{f"{namespace}.": getattr(jw, namespace) for namespace in jw.NAMESPACES}}

#: What is public by its address, as ``gait.gait_report``.
OWNERS = ((prefix, home, x) for prefix, home in HOMES.items() for x in home.__all__)
ADDRESSES = {prefix + x: getattr(home, x) for prefix, home, x in OWNERS if x not in jw.NAMESPACES}
#: The same by name; each name has one address.
PUBLIC = {address.rpartition(".")[2]: thing for address, thing in ADDRESSES.items()}
