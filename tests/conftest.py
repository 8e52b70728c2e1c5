"""What every test run starts with: a build that is current, and Hypothesis set up for where it runs."""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
from importlib.machinery import PathFinder
from pathlib import Path

import hypothesis
import pytest

from tools import sources

# No deadlines: two cores are shared with other work. On CI the examples are the same every time, so that a change is
# judged by what it changed; elsewhere they are new ones each time, so that somebody finds what is left to find.
hypothesis.settings.register_profile("normal", deadline=None, print_blob=True)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.register_profile("checked", deadline=None, derandomize=True, max_examples=30)
hypothesis.settings.register_profile("deep", deadline=None, print_blob=True, max_examples=20_000)
hypothesis.settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE")
    or ("checked" if sources.checked() else "ci" if os.environ.get("CI") else "normal"),
)

# Nothing here runs long enough for code that the JVM optimises to pay for the time that optimising takes: over a third
# of what a session of Spark used. Not `JAVA_TOOL_OPTIONS`, of which every JVM says that it has found them.
os.environ["SPARK_SUBMIT_OPTS"] = " ".join(
    filter(None, [os.environ.get("SPARK_SUBMIT_OPTS"), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"])
)
os.environ.setdefault("SPARK_LAUNCHER_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# A run in the background may have it ignored, and then so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to test anything else than what the sources say."""
    if hasattr(config, "workerinput"):  # the process that started this worker has asked already
        return
    reasons = reasons_to_refuse()
    if reasons:
        command = "make checked" if sources.checked() else "make build"
        pytest.exit(f"the compiled modules are not current ({'; '.join(reasons)}): run `{command}`", returncode=3)


def pytest_collection_finish() -> None:
    """Let garbage collections pass over what is there before the first test: modules, and the tests themselves.

    Else a test that makes many objects, as deep expressions are, spends most of its time on looking at these again.
    """
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Let Python find at its end what was there at the beginning: some modules say what they think is lost."""
    gc.unfreeze()


def reasons_to_refuse() -> list[str]:
    """Return why the package that Python would import must not be tested."""
    spec = importlib.util.find_spec("hedgerow")
    if spec is None or spec.origin is None:
        return ["hedgerow is not installed"]
    package = Path(spec.origin).parent
    return sources.reasons_to_build(package, want_checked=sources.checked()) or uncompiled(package)


def uncompiled(package: Path) -> list[str]:
    """Return a complaint for each module that Python would load from something else than its compiled file."""
    compiled = {name: sources.compiled_file(package, name) for name in sources.compiled_modules()}
    specs = {name: PathFinder.find_spec(name, [str(path.parent)]) for name, path in compiled.items()}
    origins = {name: spec and spec.origin for name, spec in specs.items()}
    return [f"{name} is loaded from {origins[name]}" for name, path in compiled.items() if origins[name] != str(path)]
