"""The chassis: what every engine but the A-Tree is made of, so that an engine is its structure and little else.

::

    Index ── one lock for writers ──> BaseEngine: slots, versions, copies, files ──> take, publish     an engine's own
    reader ── match, count, top ────> Searcher: rows, threads, order, scores     ──> run, and hit(unit)  an engine's own

``slots_cy`` has what is known of each slot, ``engine_cy`` the base of engines, ``searcher_cy`` that of their searches,
``scorer_cy`` the scores of expressions. CONTRIBUTING tells how an engine is written upon them.

What makes readers safe is said once: arrays are added to beyond what a search can see, one that must grow is replaced
by a longer one with the same beginning, and a commit publishes numbers (slots, nodes, units) which a search takes when
it begins. Nothing is taken out; what is deleted is hidden by its version until the index is compacted.

May import what ``index`` may.
"""
