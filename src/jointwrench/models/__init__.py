"""Elements of models: joints that sympy lacks, segments, chains, loops and contacts."""
