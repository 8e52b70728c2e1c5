"""The k-index (Whang et al., *Indexing Boolean Expressions*, VLDB 2009): posting lists of conjunctions by their size.

An inverted index, turned round: what is stored are conjunctions, and the query is an event. A conjunction goes into the
list of each key (an attribute with a value) that it asks for; how many literals it has is its *size* K. An event leads
to the lists of its keys, and a conjunction of size K matches if it is in K of them::

    c1  age IN {3} AND state IN {NY}            size 2    (age, 3)     1+ 2+ 3+
    c2  age IN {3} AND gender IN {F}                      (state, NY)  1+
    c3  age IN {3} AND gender IN {M}                      (state, CA)  3- 4+
          AND state NOT IN {CA}                           (gender, F)  2+
    c4  state IN {CA} AND gender IN {M}                   (gender, M)  3+ 4+
    c5  age IN {3, 4}                           size 1    (age, 3)     5+
                                                          (age, 4)     5+
    c6  state WEAK NOT IN {CA, NY}              size 0    (state, CA)  6-      Z  6+
                                                          (state, NY)  6-

The lists are sorted, so those that cannot come to K at one conjunction are skipped instead of read (``keyed_cy``).
``dnf_cy`` has Algorithm 1 of the paper, for the conjunctions of a DNF, and its ranking; ``cnf_cy`` Algorithm 2, for
CNFs that are kept whole. ``postings_cy`` has the lists, ``options`` the switches.

Invariants (``check``): a list has its units in ascending order; a unit that rejects and asks under one key has the
entry that rejects first; the tail of a list comes after its main part; a search passes over units and lists beyond the
numbers that it took when it began.

Where we differ from the paper, for the whole language: a strong NOT IN, which wants a value, asks for the presence of
its attribute (a key that the event has if the attribute is there) instead of a NULL key for every attribute that is
not; what no value can lead to is a literal that the finder finds, with a key of its own; and two errors in print are
put right (the loop of Algorithm 1 looks at lists before they are sorted, Algorithm 2 leaves lists behind).

May import what ``index`` may.
"""
