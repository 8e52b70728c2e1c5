"""What happens: events as dicts, Arrow batches or rows, encoded into attribute ids, value ids and numbers.

An event is flattened (nested structs become dotted names), checked, and written into typed arrays that a search can
read without the GIL. May import the ground floor only (errors, limits, values, arrays, symbols).
"""
