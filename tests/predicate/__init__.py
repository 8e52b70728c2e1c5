"""Tests of single predicates."""
