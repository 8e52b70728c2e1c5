"""The hedge: clauses over atoms, an engine for rules as people write them.

May import what ``index`` may.
"""
