"""What a lost column costs, when it is noticed, and what to back up."""
