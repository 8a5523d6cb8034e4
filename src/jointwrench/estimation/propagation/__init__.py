"""How uncertain the results are: standard deviations of inputs carried to outputs."""
