"""The systems that the papers compare theirs to, each as short as it can be and no slower than it must be.

============================ ================================================================================
``counting_cy``              SIFT: each clause is counted by the lists of its literals
``app_cy``                   APP: the same, for those clauses alone whose access literal holds
``pscan_cy``                 PSCAN: the whole expressions that a list mentions are evaluated
``propagation_cy``           Le Subscribe: clusters by up to three equalities
``gryphon_cy``               Gryphon and ADGR: attributes are tested in a fixed order, all conjunctions at once;
                             ``gryphon_options`` has its switches
``bop_cy``                   BoP: byte code, run when enough of its literals hold
``listed_cy``                what SIFT, PSCAN and BoP have in common: a list for each literal

``translation_cy``           Translation: a k-index over predicates, for the conjunctions of a DNF
============================ =========================================================================
May import what ``index`` may.
"""
