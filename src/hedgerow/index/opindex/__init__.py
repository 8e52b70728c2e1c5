"""OpIndex (Zhang, Chan and Tan, *An Efficient Publish/Subscribe Index for E-Commerce Databases*, VLDB 2014).

For very many attributes, of which an event has few. A conjunction can only match an event that has all its attributes,
so it is enough to come to it by one of them: its *pivot*, the one that events have least often. Under each pivot there
is a list of predicates for each operator, whatever their attributes, and a counter for each conjunction::

    S1  A = 2 AND B IN {3, 6, 9}          pivot A   =     A 2 → S1 S4   B 3, 6, 9 → S1      counters  S1 2
    S2  A <= 8 AND C >= 2                           <=    A 8 → S2                                    S2 2
    S3  C = 6 AND B <= 4 AND E IN [3, 12]           >=    C 2 → S2                                    S4 1
    S4  A = 2                             pivot C   =     C 6 → S3                                    S3 4
                                                    <=    B 4 → S3      E 12 → S3
    event B = 6, C = 3, E = 9                       >=    E 3 → S3
      has the pivot C alone, so S1, S2 and S4 are never looked at; under C two entries hold (E 12, E 3), and the
      counter of S3 goes from 4 to 2: no match

An event is looked for, value by value, in each list of each of its pivots. An operator has an order that suits it: of
``=`` the entries of the value hold, of ``<=`` those from the value on, of ``>=`` those up to it. A list is cut into
*segments* by attribute, each with a *signature*: a bit for each hash of an attribute (and value, for ``=``), so most
values need no more than one look at 64 bits.

A CNF (Section 6.1 of the paper) is kept whole if it has fewer clauses than its DNF would have conjunctions. An event
that it matches has an attribute of each clause, but which one may differ, so it is under all attributes of one clause,
the one with the fewest literals. Its counter counts clauses: the first literal of a clause that holds does::

    C1  (A = 2 OR B >= 3) AND (C = 1 OR C = 4 OR D <= 5)      pivot A   =     A 2, C 1, C 4 → C1      counters  C1 2
                                                                        <=    D 5 → C1
    event A = 2, B = 5, D = 3                                           >=    B 3 → C1
      under A, A 2 counts the first clause, B 3 does not count    pivot B   the same
      it again, and D 5 counts the second: a match. So it is
      under B, and C1 is reported once

``pivots_cy`` chooses the pivots, ``entries_cy`` makes entries of clauses, ``partitions_cy`` has the lists and counters,
``probes_cy`` what an event looks for, ``search_cy`` how it is looked for, ``engine_cy`` what waits and is merged when,
``options`` the switches, ``picture`` draws it all.

Invariants (``check``): a conjunction is in the lists of one pivot, which every event that it matches has, or waits in
the tail of one; a CNF is once in those of each of its pivots, one of which every event that it matches has; lists
ascend by segment, attribute and key; the signature of a segment has the bits of its entries; an entry, and a clause of
a CNF, counts at most once an event, so a counter that comes to zero is a match, found once under its pivot.

Where we differ from the paper, or go on from it:

- Lists are merged with what came since in geometric steps, and never changed: readers go on in those that they have.
  What waits is tested as it is. Deleted conjunctions are hidden until the index compacts.
- Where an event has far more values than a list has entries, the entries are tested instead. The paper's search takes
  as many steps as an event has pairs of attributes, however little is under them.
- A value whose ordered key is that of a bound is tested, which also tells ``<`` from ``<=``: they share a list. So does
  a BETWEEN, in both lists, which two elements of a list in the event cannot satisfy together.
- Lists in events: a set of several values counts once an event (``partitions_cy``). What does that for the values of
  a set does it for the literals of a clause, in the place of the paper's bitmaps, so a CNF may have any number of them.
- Prefixes, suffixes, regular expressions and all that has neither a value nor a bound are found by the finder, once an
  event for all pivots; lists of their own have them by the literal's number. A negated test has an entry that denies:
  it puts the counter out of reach before anything is counted. Beside other literals of its clause it denies nothing,
  and is found when it holds; so is a BETWEEN there, whose two entries could not both count.
- What needs no attribute (absence, weak tests, TRUE) is in a catch-all, searched for every event. A clause with such a
  literal gives no pivots. A CNF that would have very many entries under all of its pivots is in the catch-all too.
- Of clauses with equally few literals a CNF takes the one whose attributes are rarest; the paper leaves that open.
- Without a log of events, frequencies are those of the expressions so far. When these have doubled, and the pivots are
  more than a quarter more frequent than they would have to be, all are chosen anew. Ties go to the attribute that the
  index knew first: in the normal form the order of writing is lost, by which the paper breaks them.
- In print Lemma 5 has the most frequent attribute for a pivot, where the least frequent one is meant; Lemma 7 means the
  predicates that do *not* have the pivot's attribute. That values match does not imply that attributes do: the paper
  asks it of the attributes that both have.

What is no CNF, and what is no larger as a DNF, is brought to conjunctions.

May import what ``index`` may.
"""
