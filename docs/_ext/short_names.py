"""`gait_report` in a docstring is a link wherever it stands: a public name has one address."""

KINDS = {"class", "exception", "function"}


def address(app, env, node, content):
    """Return a link to the public function, class or class.member whose address ends in a name."""
    if node.get("refdomain") != "py":
        return None
    domain, name = env.domains["py"], f".{node['reftarget']}"
    own = node["refdoc"].rpartition("/")[2] + name  # of the class of this page
    objects = ((x, found.objtype) for x, found in domain.objects.items() if x.endswith(name))
    known = [x for x, kind in objects if kind in KINDS or "." in node["reftarget"] or x == own]
    if not known:
        return None
    target = min(known, key=len)  # others are where it is defined
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, content)


def setup(app):
    app.connect("missing-reference", address)
    return {"parallel_read_safe": True}
