"""What is measured of people and animals: markers, force plates, and tables of body segments."""
