"""Tests of OpIndex."""
