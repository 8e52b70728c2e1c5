"""What the tree promises about itself, looked at after every step of a random life."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import hedgerow as hr

if TYPE_CHECKING:
    from hedgerow.index.atree.engine_cy import ATreeEngine

FREE = 255


def check(engine: ATreeEngine, slots: list[int]) -> None:
    """Each node is used as often as nodes and expressions are made of it, and none is kept that nothing uses."""
    tree = engine.tree
    uses = Counter(engine.root_of(slot) for slot in slots)
    live = [node for node in range(1, tree.node_count) if tree.kind_of(node) != FREE]
    for node in live:
        uses.update(tree.operands_of(node))
    assert tree.live_count == len(live) + 1
    for node in live:
        assert uses[node] == tree.use_count(node) > 0
    for slot in slots:
        # What an expression ends at hears from its operands; a single literal has none.
        root = engine.root_of(slot)
        assert root <= 0 or not tree.operands_of(root) or tree.heard_count(root) > 0


def expression(chance: random.Random) -> str:
    """Return an expression whose parts others are likely to have."""
    groups = [
        "(" + chance.choice((" AND ", " OR ")).join(chance.sample([f"p{number}" for number in range(9)], 3)) + ")"
        for _ in range(chance.randint(1, 3))
    ]
    return chance.choice((" AND ", " OR ", " XOR ")).join(groups)


def test_uses_are_right_after_every_step_and_room_is_used_again() -> None:
    """Cycles of random inserts and deletes: there are never more numbers of nodes than there were nodes at once."""
    chance = random.Random(4)
    index = hr.Index("atree")
    engine: ATreeEngine = index._state.engine  # type: ignore[assignment]  # it is one
    next_id, held, most = 0, [], 0
    for _ in range(6):
        for _ in range(60):
            index.insert(next_id, expression(chance))
            held.append(next_id)
            next_id += 1
            check(engine, held)
            most = max(most, engine.tree.live_count)
        chance.shuffle(held)
        while held:
            index.delete(held.pop())
            check(engine, held)
        assert index._state.engine is engine
        assert engine.node_count == 0
        # While an expression comes in, it may have parts that turn out to be there already, in another form.
        assert engine.tree.node_count <= most + 40
