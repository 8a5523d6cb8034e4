"""The outputs that are written bypassing the caches."""

#: From this many numbers on, outputs go to memory past the caches.
FAR = 2**20
