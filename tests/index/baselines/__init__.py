"""Tests of the rivals that engines are measured against."""
