"""Find, among millions of Boolean expressions, all that match an event.

>>> import hedgerow as hr
>>> index = hr.Index()
>>> index.insert("campaign-7", "age BETWEEN 18 AND 24 AND (interest = 'nba' OR interest = 'nfl')")
>>> index.match({"age": 20, "interest": "nba", "state": "CA"})
['campaign-7']
"""

from hedgerow.errors import (
    BadRules,
    CorruptFile,
    DuplicateId,
    EventError,
    ExpressionError,
    FileError,
    HedgerowError,
    IdError,
    InvalidId,
    KindError,
    LimitError,
    MissingFile,
    MissingVersion,
    ParseError,
    ReadOnly,
    SchemaError,
    UnknownId,
    UnknownVersion,
    Unsupported,
    VersionConflict,
)
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.encode import events
from hedgerow.index.api import Index
from hedgerow.index.atree.options import ATreeOptions
from hedgerow.index.baselines.gryphon_options import GryphonOptions
from hedgerow.index.betree.options import BETreeOptions
from hedgerow.index.catalogue import EngineAbout, engines
from hedgerow.index.hedge.options import HedgeOptions
from hedgerow.index.kindex.options import KIndexOptions
from hedgerow.index.labels.options import LabelOptions
from hedgerow.index.opindex.options import OpIndexOptions
from hedgerow.index.report import BadEvent, BatchReport, IndexStats, InsertReport, LevelStats, Rejected, Scored
from hedgerow.language.build import attr
from hedgerow.language.evaluate import evaluate
from hedgerow.language.explain import Explanation, explain
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor, Xor
from hedgerow.language.operators import Operator
from hedgerow.language.parse import parse
from hedgerow.language.relate import relates
from hedgerow.language.score import score
from hedgerow.store.files import open  # noqa: A004 - hr.open, as people know it from files
from hedgerow.value_sets import ValueSet, above, any_of, at_least, at_most, below, between, none_of

__all__ = [
    "ATreeOptions",
    "And",
    "BETreeOptions",
    "BadEvent",
    "BadRules",
    "BatchReport",
    "Constant",
    "CorruptFile",
    "DuplicateId",
    "EngineAbout",
    "EventBatch",
    "EventError",
    "Explanation",
    "Expression",
    "ExpressionError",
    "FileError",
    "GryphonOptions",
    "HedgeOptions",
    "HedgerowError",
    "IdError",
    "Index",
    "IndexStats",
    "InsertReport",
    "InvalidId",
    "KIndexOptions",
    "KindError",
    "LabelOptions",
    "LevelStats",
    "LimitError",
    "MissingFile",
    "MissingVersion",
    "Not",
    "OpIndexOptions",
    "Operator",
    "Or",
    "ParseError",
    "Predicate",
    "ReadOnly",
    "Rejected",
    "SchemaError",
    "Scored",
    "UnknownId",
    "UnknownVersion",
    "Unsupported",
    "ValueSet",
    "VersionConflict",
    "Xnor",
    "Xor",
    "above",
    "any_of",
    "at_least",
    "at_most",
    "attr",
    "below",
    "between",
    "engines",
    "evaluate",
    "events",
    "explain",
    "none_of",
    "open",
    "parse",
    "relates",
    "score",
]
