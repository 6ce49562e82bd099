"""From a study to its trials, and from a trial to its outcome."""
