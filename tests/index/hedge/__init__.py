"""Tests of the hedge."""
