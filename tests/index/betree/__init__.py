"""Tests of the BE-Tree."""
