"""Tests of rule sets."""
