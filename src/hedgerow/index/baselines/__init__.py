"""The systems that the papers compare theirs to, each as short as it can be and no slower than it must be.

``counting_cy`` is SIFT's counting algorithm. They are engines as all others, exact by the contract, and there to be
measured against.

May import what ``index`` may.
"""
