"""What can be told of lines and of the keys on them: nothing of it is for Python."""
