"""Arrays in, arrays out: compiled programs, their results, and motions that close loops."""
