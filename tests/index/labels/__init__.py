"""Tests of the labels: Dewey and Interval."""
