"""From a `Program` to C text, and from C text to a loaded library, without mechanics."""
