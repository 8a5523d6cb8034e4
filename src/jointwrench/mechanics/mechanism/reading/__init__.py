"""From what users have (a `System`, or a `KanesMethod` and who is joined to whom) to a `Tree`."""
