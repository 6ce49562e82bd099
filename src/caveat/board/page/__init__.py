"""The report's page: what the records hold, what that says, how it is shown."""
