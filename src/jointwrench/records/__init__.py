"""Recorded numbers: samples and their times, cycles, units, tables of named columns."""
