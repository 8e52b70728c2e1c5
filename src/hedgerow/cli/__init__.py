"""The command ``hedgerow``: one file a command, and ``main`` that finds it.

A command's file has ``add(commands)``, which tells argparse its options, and ``run(options)``, which does the work or
raises. ``main`` turns what is raised into one line and an exit code. ``files`` writes tables in the formats that people
exchange. May import every other room but ``spark``.
"""
