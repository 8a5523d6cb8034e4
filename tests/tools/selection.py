"""Which tests of a run are left out."""


def leave_out(config, items, is_left):
    left = [item for item in items if is_left(item)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if not is_left(item)]
