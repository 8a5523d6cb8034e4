"""All public names, those of the package and of its namespaces."""

import jointwrench as jw

HOMES = {"": jw, **{f"{namespace}.": getattr(jw, namespace) for namespace in jw.NAMESPACES}}

#: What is public by its address, as ``gait.gait_report``.
ADDRESSES = {
    prefix + name: getattr(home, name)
    for prefix, home in HOMES.items()
    for name in home.__all__
    if name not in jw.NAMESPACES
}
#: The same by name; each name has one address.
PUBLIC = {address.rpartition(".")[2]: thing for address, thing in ADDRESSES.items()}
