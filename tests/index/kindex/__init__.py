"""Tests of the k-index."""
