"""Labels (Fontoura et al., *Efficiently Evaluating Complex Boolean Expressions*, SIGMOD 2010): no normal forms.

An expression of any form is a tree of AND and OR over *leaves*: conjunctions, or single literals. Normal forms of it
may be exponentially larger; the tree itself would have to be walked for every event. Here neither is kept. Each leaf
has a *label* that says where in its tree it stands, and an event is matched in two steps:

1. Which leaves hold (``leaves_cy``)? Each has a list of its labels, in whatever expressions they are.
2. Which expressions are true, as their labels tell (``labelled_cy``)? The labels of those leaves are gone through once,
   expression by expression, in order. An expression without a leaf that holds costs nothing.

::

    (A AND B) OR C OR (D AND E AND F)          Dewey       interval      A, D, E, F hold:
                                           A   1*.1.1      <1,1>         0 ─A─> 1
                    OR                     B   1*.1.2*     <2,6>         0 ────D────> 4 ─E─> 5 ─F─> 6, the end: true
         ┌──────────┼─────────┐            C   1*.2        <1,6>
        AND         C        AND           D   1*.3.1      <1,4>         B and D hold:
       ┌─┴─┐               ┌──┼──┐         E   1*.3.2      <5,5>         0 ────D────> 4, and nothing begins at 5:
       A   B               D  E  F         F   1*.3.3*     <6,6>         false, though B covers all that is left

*Dewey* labels (``dewey_cy``) are the branches down to a leaf. The search rebuilds what is above the leaves that hold,
one node of each level at a time. *Interval* labels (``interval_cy``) are a piece of a line, and the tree is true if
pieces that hold lead from its beginning to its end. They have one size at any depth, and cost one step each.

``tree_cy`` writes an expression out as a tree, ``options`` has the switch: what a leaf is.

Invariants (``check``): the words of one expression's labels stand together, expressions ascend by their units, and
the labels of each are in the order in which they are evaluated (Dewey: from left to right; intervals: by their
beginning). A label is in the list of one leaf. No Dewey label is the beginning of another in its tree. The pieces of an
OR's operands are that of the OR, the operands of an AND cut its piece up, and no two of them that are not the first of
their AND begin at the same number.

Where we differ from the paper, for the whole language: negated tests are literals, found by what must be there and what
denies them; what no event needs to satisfy (TRUE) is in a list of its own. Labels are not sorted for each event: their
places are in order already. A line is as long as its own tree has leaves, not the largest one, and the *size* of a node
is its number of leaves, as the examples have it (the text counts children). Both ends of a piece belong to it. An only
operand of an AND has the whole piece. The last operand of an AND alone has the mark. The evaluation of Dewey labels
does not call itself. Labels have 32 bits, and more where their tree needs them. The paper finds conjunctions by the
k-index; here one literal of each, the rarest that can be told, leads to it, and the others are looked up.

May import what ``index`` may.
"""
