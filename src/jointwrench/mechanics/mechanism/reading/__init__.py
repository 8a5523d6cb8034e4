"""From a `System`, or a `KanesMethod` with the connections of its bodies, to a `Tree`."""
