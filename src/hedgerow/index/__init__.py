"""Indexes: many expressions, and which of them match an event.

``api`` is the door (``Index``), ``engine`` the protocol behind it, ``scan_cy`` the engine that evaluates everything;
each paper's engine gets a folder of its own beside them, and what they are compared to is in ``baselines``. All but the
A-Tree are made of ``chassis``.

May import everything below it: ``errors``, ``limits``, ``values``, ``arrays_cy``, ``sections``, ``symbols_cy``,
``progress``, ``language``, ``event`` and ``predicate``.
"""

from hedgerow.index.atree.choice import atree_engine
from hedgerow.index.atree.engine_cy import ATreeEngine
from hedgerow.index.atree.options import ATreeOptions
from hedgerow.index.baselines.app_cy import APPEngine
from hedgerow.index.baselines.bdd_cy import BDDEngine
from hedgerow.index.baselines.bop_cy import BoPEngine
from hedgerow.index.baselines.counting_cy import CountingEngine
from hedgerow.index.baselines.gryphon_cy import GryphonEngine
from hedgerow.index.baselines.gryphon_options import GryphonOptions
from hedgerow.index.baselines.propagation_cy import PropagationEngine
from hedgerow.index.baselines.pscan_cy import PScanEngine
from hedgerow.index.baselines.translation_cy import TranslationEngine
from hedgerow.index.betree.engine_cy import BETreeEngine
from hedgerow.index.betree.options import BETreeOptions
from hedgerow.index.engine import register_engine
from hedgerow.index.hedge.engine_cy import HedgeEngine
from hedgerow.index.hedge.options import HedgeOptions
from hedgerow.index.kindex.cnf_cy import KIndexCNFEngine
from hedgerow.index.kindex.dnf_cy import KIndexEngine
from hedgerow.index.kindex.options import KIndexOptions
from hedgerow.index.labels.dewey_cy import DeweyEngine
from hedgerow.index.labels.interval_cy import IntervalEngine
from hedgerow.index.labels.options import LabelOptions
from hedgerow.index.opindex.engine_cy import OpIndexEngine
from hedgerow.index.opindex.options import OpIndexOptions
from hedgerow.index.scan_cy import ScanEngine

register_engine("app", APPEngine, APPEngine.restored)
register_engine("atree", atree_engine, ATreeEngine.restored, options=ATreeOptions)
register_engine("bdd", BDDEngine, BDDEngine.restored)
register_engine("betree", BETreeEngine, BETreeEngine.restored, options=BETreeOptions)
register_engine("bop", BoPEngine, BoPEngine.restored)
register_engine("counting", CountingEngine, CountingEngine.restored)
register_engine("dewey", DeweyEngine, DeweyEngine.restored, options=LabelOptions)
register_engine("gryphon", GryphonEngine, GryphonEngine.restored, options=GryphonOptions)
register_engine("hedge", HedgeEngine, HedgeEngine.restored, options=HedgeOptions)
register_engine("interval", IntervalEngine, IntervalEngine.restored, options=LabelOptions)
register_engine("kindex", KIndexEngine, KIndexEngine.restored, options=KIndexOptions)
register_engine("kindex-cnf", KIndexCNFEngine, KIndexCNFEngine.restored, options=KIndexOptions)
register_engine("opindex", OpIndexEngine, OpIndexEngine.restored, options=OpIndexOptions)
register_engine("propagation", PropagationEngine, PropagationEngine.restored)
register_engine("pscan", PScanEngine, PScanEngine.restored)
register_engine("scan", ScanEngine, ScanEngine.restored)
register_engine("translation", TranslationEngine, TranslationEngine.restored, options=KIndexOptions)
