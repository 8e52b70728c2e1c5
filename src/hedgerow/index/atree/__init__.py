r"""The A-Tree (Ji and Jacobsen, SIGMOD 2021): expressions that share their parts, matched from the leaves up.

::

    expressions   S0: (a OR b) AND c          S1: c AND d          S2: (a OR b) OR e

                 S0 AND     S1 AND       S2 OR        one node for each distinct part, whatever the order
                /      \   /     \      /  |  \       of its operands (node uniqueness)
            (a OR b)     c        d    a   b   e
            /      \
           a        b

Every expression is first brought to AND and OR over literals (zero suppression, in ``import_cy``), so a part that is
not true needs no visit at all. Truth then goes two ways:

- *up*, from literals that hold to the nodes over them, but only where it is asked for (propagation on demand): an AND
  asks one operand, its **access child**, the one that is expected to hold least often; an OR asks all; an expression
  asks its root; what nobody asks is not even found. Parts are shared, so a node asks as long as anybody asks it.
- *down*, from an AND whose access child holds to its other operands, each evaluated at most once an event.

A new expression is built over nodes that are there and cover several of its operands (reorganisation), and a new node
takes the place of its operands in nodes that are there (self-adjustment).

================= ===========================================================================================
options           a switch for each of the paper's ideas
import_cy         from the parser's graph into the tree; ``ahead_cy`` has the memory fetch what it will look up
tree_cy           the nodes: found again by content, linked to those who ask, reorganised, let go of;
                  ``counts_cy`` counts uses beyond 254
search_cy         one event, level by level; ``shares_cy`` has how threads share the events of a batch
reach_cy          lists of where truth gets to from a literal, past ORs; ``follow_cy`` makes them
plan_cy           the tree in the order of its levels, as a batch wants it
batch_cy, blocks  many events, node by node; ``sets`` has what a set of events is, ``tally_cy`` counts matches,
                  ``part_cy`` notes them until they are written
score_cy          the best matches, by upper bounds
engine_cy         the engine: slots, versions, files, and which way a batch goes
picture           what people can look at
unsuppressed_cy   the A-Tree without zero suppression, a structure of its own; ``choice`` chooses between the two
================= ===========================================================================================
"""
