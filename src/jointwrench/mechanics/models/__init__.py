"""What users build with: joints that sympy lacks, segments, chains, loops and contacts."""
