"""The hedge: clauses of tests over atoms, for rules as people write them. An engine of our own.

Such rules are conjunctions of five to nine tests, none of which is rare by itself. Whatever leads to a rule by one of
them leads there in vain most of the time; so what counts is which test leads, and how little it costs to see that a
rule does not match::

    1  country IN ('AT', 'DE') AND NOT os = 'ios' AND age >= 65
    2  country = 'AT' AND (vip OR age < 18)

    country = 'AT'  ->  1  os 'ios', os not there: none   age from 65          the lists of atoms, with an entry of
                        2  vip = true, age < 18: some                          32 bytes for each clause
    country = 'DE'  ->  1  os 'ios', os not there: none   age from 65

    event  country 'AT', os 'web', age 70
      atoms: country = 'AT'; os is there      a byte each is set, and cleared afterwards
      entry of 1: no byte of its first column is set, as it must be; 70 is in the range of its second column; the rest
                  has age >= 65 itself, which holds                                                           match
      entry of 2: the rest: neither vip nor age < 18 holds                                                    no match

Three levers, and they multiply:

- **Atoms instead of literals.** An event has as many atoms as values. That ``NOT IN`` holds is never found out for all
  the rules that say so, only for those that are led to, by looking at bytes that were set once an event.
- **Columns.** An entry has three tests, and is decided by them without a branch in most cases.
- **What leads is learnt.** Searches count how often atoms are true. When enough was seen, all clauses are filed anew by
  it, some at a time, in lists that take the place of the old ones when they are complete.

An expression whose clauses would be many goes to an A-Tree in the same index.

``atoms_cy`` has the atoms and what is known of them, ``forms_cy`` makes clauses of expressions, ``entries_cy`` has the
lists, ``filing_cy`` fills them, ``search_cy`` goes through them, ``engine_cy`` puts it together, ``options`` has the
switches.

Invariants: a clause has an entry under each atom of the test that leads to it, so every event that it matches comes to
one of them; an entry is complete before a list has it; what columns say is said again in the rest unless it decides.

May import what ``index`` may.
"""
