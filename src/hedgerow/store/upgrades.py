"""What files of older versions hold, as the next version has it: one function a version.

Only what was once written is touched here, so that the rest of the library knows of the newest version alone. An old
file takes longer to open than a new one, and some of it is copied; saving it again makes a new one of it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hedgerow.errors import CorruptFile
from hedgerow.sections import section
from hedgerow.store.container import Container

__all__ = ["from_version_1", "from_version_2", "from_version_3", "from_version_4"]

_Named: TypeAlias = dict[str, npt.NDArray[Any]]

_LITERAL, _AND, _OR = 3, 5, 6  # kinds of nodes in an A-Tree, as versions 1 and 2 have them
_ON_DEMAND = 4  # which of the options is propagation on demand
_MANY = 255


def from_version_1(old: Container) -> Container:
    """Return version 2 of what a file holds.

    Hashes of predicates have gone into the slots of their table, and an A-Tree's smaller numbers into smaller types.
    """
    arrays = dict(old.arrays)
    for name in old.arrays:
        if name.endswith(".predicate_hash"):
            _place_predicates(arrays, name.removesuffix("predicate_hash"))
    if "engine.tree.uses" in arrays:
        _note_single_values(arrays, "engine.tree.")
        _count_uses(arrays, "engine.tree.")
        _halve_indexes(arrays, "engine.tree.")
    return old._replace(version=2, arrays=arrays)


def from_version_2(old: Container) -> Container:
    """Return version 3 of what a file holds.

    An A-Tree's literals that somebody asks for are pushed, as inner nodes were before; and there are as many links back
    to roots as slots, also where the last expressions never match.
    """
    arrays = dict(old.arrays)
    if "engine.tree.pushed" in arrays:
        _push_literals(arrays, "engine.tree.")
        _fill_up_links_back(arrays)
    return old._replace(version=3, arrays=arrays)


def from_version_3(old: Container) -> Container:
    """Return version 4 of what a file holds, which is the same: a scan may leave out what it has nothing in."""
    return old._replace(version=4)


def from_version_4(old: Container) -> Container:
    """Return version 5 of what a file holds, which is the same: an OpIndex may have CNFs, where it had only DNFs."""
    return old._replace(version=5)


def _push_literals(arrays: _Named, prefix: str) -> None:
    kinds = section(arrays, f"{prefix}kind", np.uint8)
    posts = section(arrays, f"{prefix}posts", np.int64, kinds.size)
    pushed = section(arrays, f"{prefix}pushed", np.uint64).copy()
    asked = np.flatnonzero((kinds == _LITERAL) & (posts != 0))
    if pushed.size < (kinds.size + 63) // 64:
        raise CorruptFile("the section 'pushed' does not fit the nodes")
    np.bitwise_or.at(pushed, asked >> 6, np.uint64(1) << (asked & 63).astype(np.uint64))
    arrays[f"{prefix}pushed"] = pushed


def _fill_up_links_back(arrays: _Named) -> None:
    roots = section(arrays, "engine.root", np.int32)
    links = section(arrays, "engine.slot_back", np.int32)
    if links.size < roots.size and (roots[links.size :] < 0).all():
        arrays["engine.slot_back"] = np.append(links, np.zeros(roots.size - links.size, np.int32))


def _place_predicates(arrays: _Named, prefix: str) -> None:
    """Make the table of a graph's predicates anew: half a hash and a number in each slot, by where they belong."""
    hashes = section(arrays, f"{prefix}predicate_hash", np.uint64)
    starts = section(arrays, f"{prefix}predicate_start", np.int64, hashes.size + 1)
    size = max(32, 2 * hashes.size)
    tags = hashes >> np.uint64(32)
    homes = (tags * np.uint64(size) >> np.uint64(32)).astype(np.int64)
    order = np.argsort(homes, kind="stable")
    counted = np.arange(hashes.size)
    # Each stands at home, or right behind the one before; those beyond the end stand in the first free slots.
    places = np.maximum.accumulate(homes[order] - counted) + counted
    slots = np.zeros(size, np.uint64)
    within = places < size
    entries = (tags << np.uint64(32) | np.arange(1, hashes.size + 1, dtype=np.uint64))[order]
    slots[places[within]] = entries[within]
    slots[np.flatnonzero(slots == 0)[: np.count_nonzero(~within)]] = entries[~within]
    arrays[f"{prefix}predicate_slots"] = slots
    arrays[f"{prefix}numbers"] = np.append(section(arrays, f"{prefix}numbers", np.uint64, 2), np.uint64(size))
    arrays[f"{prefix}predicate_start"] = starts.astype(np.uint32)
    if not np.any(section(arrays, f"{prefix}predicate_node", np.int32, hashes.size) >= 0):
        arrays[f"{prefix}predicate_node"] = np.empty(0, np.int32)
    del arrays[f"{prefix}predicate_hash"]


def _note_single_values(arrays: _Named, prefix: str) -> None:
    """Note by its number where a literal of one value stands in the list of that value; it was noted by the value."""
    codes = section(arrays, f"{prefix}finder.code", np.int32)
    by_number = section(arrays, f"{prefix}finder.index_of_number", np.int32, codes.size).copy()
    keys = section(arrays, f"{prefix}finder.key_list", np.int32)
    places = section(arrays, f"{prefix}finder.lists.place", np.int64)[keys]
    starts, lengths = places >> 24, places & 0xFFFFFF
    indexes = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    numbers = section(arrays, f"{prefix}finder.lists.arena", np.int32)[np.repeat(starts, lengths) + indexes]
    single = section(arrays, f"{prefix}table.listed_count", np.int32)[codes[numbers] >> 2] == 1
    by_number[numbers[single]] = indexes[single]
    arrays[f"{prefix}finder.index_of_number"] = by_number


def _count_uses(arrays: _Named, prefix: str) -> None:
    """Count uses in bytes, and those of the few nodes that have many for themselves."""
    uses = section(arrays, f"{prefix}uses", np.int32)
    many = np.flatnonzero(uses >= _MANY)
    arrays[f"{prefix}uses"] = np.minimum(uses, _MANY).astype(np.uint8)
    arrays[f"{prefix}many_used"] = many.astype(np.int32)
    arrays[f"{prefix}many_uses"] = uses[many]


def _halve_indexes(arrays: _Named, prefix: str) -> None:
    """Put the low halves of two indexes where one was, behind the operands of those nodes that all operands tell."""
    kinds = section(arrays, f"{prefix}kind", np.uint8)
    bodies = section(arrays, f"{prefix}body", np.int64, kinds.size)
    parts = section(arrays, f"{prefix}parts", np.int32).copy()
    on_demand = section(arrays, f"{prefix}options", np.uint64)[_ON_DEMAND]
    chosen = bodies[kinds == _OR if on_demand else (kinds == _OR) | (kinds == _AND)]
    starts, widths = chosen >> 24, chosen & 0xFFFFFF
    for width in np.unique(widths):
        behind = starts[widths == width][:, None] + width
        halves = np.zeros((len(behind), width + width % 2), np.uint32)
        halves[:, :width] = parts[behind + np.arange(width)].view(np.uint32) & 0xFFFF
        parts[behind + np.arange(halves.shape[1] // 2)] = (halves[:, ::2] | halves[:, 1::2] << 16).view(np.int32)
    arrays[f"{prefix}parts"] = parts
