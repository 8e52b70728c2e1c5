"""OpIndex (Zhang, Chan and Tan, VLDB 2014).

May import what ``index`` may.
"""
