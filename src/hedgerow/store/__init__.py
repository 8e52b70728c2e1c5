"""Files: an index on disk, opened at once by mapping it into memory.

``container`` is the format: one file of named arrays, every byte of it checked. ``replace`` writes a file so that a
crash leaves the old one. ``files`` has ``hr.open``, and what ``Index.save`` does.

May import everything below it: ``index`` and what that may import. ``index`` knows nothing of this room: ``files``
gives it the function that writes (``index.saving.register_writer``).
"""
