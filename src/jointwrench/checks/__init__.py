"""What users may give, so that every refusal reads the same, and how objects show themselves."""
