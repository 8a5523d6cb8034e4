"""Arrays in, arrays out: compiled programs, what they return, and motions that close loops."""
