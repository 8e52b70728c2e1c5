"""Rule sets: a folder of rules under versions, built in parts, changed while it is used.

::

    rules/
      versions/0000000001.json    what version 1 consists of; written last, at once, and never changed
      versions/0000000002.json    ... and what version 2 does
      shards/5f1c….hedgerow       an index file: some of the rules, opened by mapping it into memory
      shards/5f1c….parquet        the same rules as they were given, to build from again and to read
      shards/81aa….arrow          ids of a shard that a later version no longer has
      streams/…json               which version a running stream last took

A version is a *manifest*: its shards, each with the ids that are hidden in it, and at most one shard of *changes*,
which holds what was inserted or updated since the others were built. When that has grown, all is built anew
(``changes.compact``). Files that a version names never change, so readers need no lock: who opened a version keeps
it. A writer makes its files first and then creates the next manifest, which only one of two writers can.

``place`` knows folders, here or on a remote store; ``manifest`` the record; ``versions`` which there are, how one is
added, and which can go; ``given`` brings rules and changes into one form; ``shard`` makes the files of one shard;
``sizing`` says how many shards, ``routing`` which rules are in them; ``build`` makes a rule set in this process;
``changes`` applies changes; ``opened`` opens one version and matches with it.

May import ``store`` and what is below it. ``cli`` and ``spark`` stand on it.
"""

from hedgerow.ruleset.build import BuildReport, build
from hedgerow.ruleset.changes import ChangeReport, apply_changes, compact
from hedgerow.ruleset.opened import Counts, RuleSet, open_rules
from hedgerow.ruleset.sizing import SHARD_BYTES
from hedgerow.ruleset.versions import expire, versions

__all__ = [
    "SHARD_BYTES",
    "BuildReport",
    "ChangeReport",
    "Counts",
    "RuleSet",
    "apply_changes",
    "build",
    "compact",
    "expire",
    "open_rules",
    "versions",
]
