"""Elements of pictures: axes, labels, colours, shapes; no mechanics."""
