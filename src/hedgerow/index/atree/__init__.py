r"""The A-Tree (Ji and Jacobsen, SIGMOD 2021): expressions that share their parts, matched from the leaves up.

::

    expressions   S0: (a OR b) AND c          S1: c AND d          S2: (a OR b) OR e

                 S0 AND     S1 AND       S2 OR        one node for each distinct part, whatever the order
                /      \   /     \      /  |  \       of its operands (node uniqueness)
            (a OR b)     c        d    a   b   e
            /      \
           a        b

Every expression is first brought to AND and OR over literals (zero suppression: ``language.rewrite.simplify``), so a
part that is not true needs no visit at all. Truth then goes two ways:

- *up*, from literals that hold to the nodes over them, but only where it is asked for (propagation on demand): an AND
  asks one operand, its **access child**, the one that is expected to hold least often; an OR asks all; an expression
  asks its root; what nobody asks is not even found. Parts are shared, so a node asks as long as anybody asks it.
- *down*, from an AND whose access child holds to its other operands, each evaluated at most once an event.

A new expression is built over nodes that are there and cover several of its operands (reorganisation), and a new node
takes the place of its operands in nodes that are there (self-adjustment).

===============  =======================================================================================================
``engine_cy``    the engine: slots over nodes, versions, what readers see, which way to search
``options``      a switch for each idea of the paper, for ablations
``import_cy``    the way of an expression into the tree: zero suppression, operands in one pass
``tree_cy``      the nodes: uniqueness, reorganisation, self-adjustment, who tells whom, deletion
``search_cy``    one event: truth goes up, level by level
``plan_cy``      the tree as batches want it: nodes in the order of their levels; it also counts for ``Index.stats``
``batch_cy``     many events at once, node by node
``blocks``       a batch in blocks, and the threads that work on them
``picture``      drawings for people, as text and for Graphviz
``bits.pxd``     some things that compilers know and the language does not
===============  =======================================================================================================

The graph, the literals' tests and the finder below it are those of ``language`` and ``predicate``. docs/atree.md says
what each part costs.

Where this is not the paper: the access child is chosen by estimated selectivity, not at random; a part is found by
operands and not by an arithmetic id, which could collide; candidates for reorganisation and self-adjustment are sought
among a few neighbours of each operand, so that an insert costs the same in a large tree; a node that is deleted is not
opened into the nodes over it, since these still use it.
"""
