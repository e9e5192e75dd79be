"""What the templates of a PL kernel print (pl_templates/kernel/): flat values, taken from its plan."""
