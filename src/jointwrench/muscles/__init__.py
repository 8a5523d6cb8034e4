"""Muscles of models: their paths over bones and round surfaces, lengths and moment arms."""
