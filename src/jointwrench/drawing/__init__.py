"""What pictures are drawn with: axes, labels, colours, shapes; no mechanics."""
