"""The hedge on the contract: with each half, and choosing anew all the time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import hedgerow as hr
from hedgerow.testing import CHECKS, Factory, check_matches_are_the_oracles

RESTLESS = hr.HedgeOptions(after=1, again=1)
WHOLE = (RESTLESS, hr.HedgeOptions(clauses=0), hr.HedgeOptions(clauses=1, after=1, again=1))


@pytest.mark.usefixtures("_few_examples")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("options", WHOLE, ids=str)
def test_options_keep_the_whole_contract(options: hr.HedgeOptions, check: Callable[[Factory], None]) -> None:
    """All in the A-Tree beside, most of it there, nothing there; with lists that are made anew after every search."""
    check(lambda missing: hr.Index("hedge", missing=missing, options=options))


@pytest.mark.parametrize("clauses", (2, 256))
def test_any_number_of_clauses_matches_as_the_oracle_does(clauses: int) -> None:
    """Few are beside with a high limit, and some with a low one."""
    options = hr.HedgeOptions(clauses=clauses, after=2, again=2)
    check_matches_are_the_oracles(lambda missing: hr.Index("hedge", missing=missing, options=options))


@pytest.mark.parametrize("given", ({"clauses": -1}, {"clauses": 257}, {"after": 1.5}, {"again": 0}, {"again": True}))
def test_what_is_no_number_of_the_kind_is_refused(given: dict[str, int]) -> None:
    """By its name."""
    with pytest.raises(hr.KindError, match=next(iter(given))):
        hr.HedgeOptions(**given)


def test_options_are_kept_in_files_and_by_compaction(tmp_path: object) -> None:
    """And so is what was learnt in a file."""
    index = hr.Index("hedge", options=RESTLESS)
    index.insert("x", "a = 1")
    index.match({"a": 1})
    index.save(f"{tmp_path}/index")
    again = hr.open(f"{tmp_path}/index")
    assert again.options == RESTLESS
    assert again.stats().figures == index.stats().figures
