"""Tests of what people write and mean."""
