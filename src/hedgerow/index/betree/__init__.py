"""The BE-Tree (Sadoghi and Jacobsen, *Analysis and Optimization for Boolean Expression Indexing*, TODS 2013).

A tree of conjunctions that cuts their space in two phases, again and again. *Partitioning* picks an attribute and
takes the expressions that test it out of a leaf; *clustering* puts them into buckets by the values that they ask for.
A leaf is only cut when it has outgrown its capacity, so the tree is deep where expressions are many and alike::

    root ── leaf: e7, e8                          event a = 3, b = 20
     ├─ p-node (a, value) ── 1 ── leaf: e1        root: e7 and e8 are looked at; the event has a and b
     │                    ├─ 3 ── leaf: e2, e3    a is 3: e2 and e3 are looked at, and nothing else of a
     │                    └─ 7 ── leaf: e9        b is 20: the leaves of [0, 90], where e4 is in no half,
     └─ p-node (b, numbers) ── [0, 90]: e4        and of (15, 90], but not that of [0, 15]
                                 ├─ [0, 15]: e5
                                 └─ (15, 90]: e6, e10

A *p-node* is a partition of a node on an axis (``axes_cy``), a *c-node* a node and the bucket that it is; ``nodes_cy``
has them as ``Partition`` and ``Node``, with the leaves. ``tree_cy`` inserts and cuts, where ``lines_cy`` says;
``gathering_cy`` takes cuts back, ``adjusting_cy`` ranks and recycles. Matching walks from the root by what the event
has (``search_cy``); ``engine_cy`` has all that together. ``edges_cy`` has the directories, ``bitmap_cy`` one way to
test, ``relating_cy`` the search by relation, ``options`` the switches, ``inside`` the figures and invariants,
``picture`` the drawing.

Invariants (``check``): an expression is in the tree once, in the smallest bucket that encloses it; below a p-node all
have its axis; no attribute is used twice on a path.

Where we differ from the paper, for the whole language and for domains that nobody declares:

- A conjunction is a clause of a DNF, and owners of equal ones share it. Of several tests on an attribute any may
  guide.
- The hybrid directory is two: the hash table and the line of an attribute are p-nodes of their own, so that the
  ranking of equalities (the default) need not take expressions along that have other equalities left.
- The top bucket of a line spans the ends of the expressions that it is made for. What lies beyond counts as its own
  end; when an eighth of what a partition has does, its line is made longer.
- Values have no gaps. Not a bucket of one value is never cut, but one whose expressions lie between the same ends.
- Tests that have no place on a line (patterns, NOT IN, lists of mixed kinds) are partitioned on the presence of their
  attribute, which is the full domain of Table I; what absence satisfies guides nothing and is tested in the leaf.
- An extended leaf grows by half, not by a constant, before it is looked at again, and a path has at most 48 p-nodes:
  inserting stays linear when many expressions are alike.

May import what ``index`` may.
"""
