"""Study files: read strictly, checked, all mistakes told at once."""
