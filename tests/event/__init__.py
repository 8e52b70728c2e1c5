"""Tests of what happens: events and how they are read."""
