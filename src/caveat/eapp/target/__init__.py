"""What a person passes as y, the tasks it makes, and its shuffles."""
