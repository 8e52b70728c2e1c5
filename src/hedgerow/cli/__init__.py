"""The command ``hedgerow``: one file a command, and ``main`` that finds it.

A command's file has ``add(commands)``, which tells argparse its options, and ``run(options)``, which does the work or
raises. ``main`` turns what is raised into one line and an exit code. ``tables`` reads the formats that people exchange,
block by block, ``files`` writes them; ``rule_files`` and ``opening`` get the rules, ``matching`` brings both together,
``on_spark`` asks ``hedgerow.spark`` for the same. May import every other room but ``spark``.
"""
