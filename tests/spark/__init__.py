"""Tests of hedgerow.spark: one small local session for all of them."""
