"""Tests of the A-Tree."""
