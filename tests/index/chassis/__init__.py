"""Tests of what engines are made of."""
