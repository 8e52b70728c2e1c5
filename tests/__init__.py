"""The tests: names are claims, and each says in one sentence what it holds the library to."""
