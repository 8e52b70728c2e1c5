"""``hedgerow stats``: what rules consist of."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from hedgerow.cli.opening import add_rules, is_rule_set, opened_rules
from hedgerow.cli.options import add_parser, add_tone, counted, tell
from hedgerow.errors import KindError
from hedgerow.index.report import IndexStats, LevelStats
from hedgerow.ruleset.manifest import Manifest
from hedgerow.ruleset.opened import RuleSet
from hedgerow.ruleset.place import placed
from hedgerow.ruleset.versions import current, manifest_of, versions

__all__ = ["add", "run"]

_EXAMPLES = """\
examples:
  hedgerow stats --rules rules.csv
  hedgerow stats --rules rules/ --versions

Levels count from the predicates up; sharing is how often a subexpression occurs, on the average, for each time it is
held. Of a rule set, the numbers of all shards are added up.
"""


def add(commands: Any) -> None:  # noqa: ANN401 - argparse has no public name for it
    """Tell argparse the options of the command."""
    parser = add_parser(
        commands,
        "stats",
        "tell what rules consist of",
        "Tell what rules consist of, and what a rule set does.",
        _EXAMPLES,
    )
    add_rules(parser)
    parser.add_argument("--versions", action="store_true", help="list the versions of the rule set")
    parser.set_defaults(run=run, on_error="report")
    add_tone(parser)


def run(options: argparse.Namespace) -> None:
    """Tell it."""
    if options.versions:
        _tell_versions(options)
        return
    held = opened_rules(options).held
    if not isinstance(held, RuleSet):
        stats = held.stats()
        tell(options, str(stats), **_facts(stats))
        return
    stats = added_up([index.stats() for _, index in held.stats()], len(held))
    manifest = held.manifest
    heads = f"{_line(manifest)}, missing={manifest.missing}, ids: {manifest.id_type}, partition: {manifest.partition}"
    tell(options, f"{heads}\n\n{stats}", **{**_facts(stats), **_manifest_facts(manifest)})


def _tell_versions(options: argparse.Namespace) -> None:
    if not is_rule_set(options.rules):
        raise KindError(f"--versions is for a rule set, and '{options.rules}' is a file")
    place = placed(options.rules)
    current(place)
    manifests = [manifest_of(place, version) for version in versions(place)]
    tell(options, "\n".join(map(_line, manifests)), versions=[_manifest_facts(manifest) for manifest in manifests])


def _line(manifest: Manifest) -> str:
    facts = _manifest_facts(manifest)
    return (
        f"version {manifest.version}: {counted(manifest.expressions, 'rule')}, "
        f"{counted(len(manifest.shards), 'shard')}, {facts['hidden']:,} hidden, {facts['changes']:,} in changes, "
        f"{manifest.size / 1e6:,.1f} MB"
    )


def _manifest_facts(manifest: Manifest) -> dict[str, Any]:
    return {
        "version": manifest.version,
        "rules": manifest.expressions,
        "shards": len(manifest.shards),
        "hidden": sum(shard.expressions - shard.live for shard in manifest.shards),
        "changes": manifest.changes.expressions if manifest.changes else 0,
        "file_bytes": manifest.size,
        "missing": manifest.missing,
        "id_type": manifest.id_type,
        "partition": manifest.partition,
        "engine": manifest.engine,
    }


def _facts(stats: IndexStats) -> dict[str, Any]:
    facts = asdict(stats)
    del facts["visits"]
    return {"rules": facts.pop("expressions"), **facts}


def added_up(parts: Sequence[IndexStats], rules: int) -> IndexStats:
    """Return the sum of what several indexes say of themselves."""
    held: Counter[str] = Counter()
    nodes: Counter[int] = Counter()
    occurrences: Counter[int] = Counter()
    for part in parts:
        held.update(part.parts)
        for level in part.levels:
            nodes[level.level] += level.nodes
            occurrences[level.level] += level.occurrences
    levels = tuple(LevelStats(level, nodes[level], occurrences[level]) for level in sorted(nodes))
    engine = parts[0].engine if parts else "atree"
    predicates = sum(part.predicates for part in parts)
    return IndexStats(engine, rules, predicates, sum(held.values()), dict(held), levels)
