"""Tests of the door, the engines and the contract between them."""
