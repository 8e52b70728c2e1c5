"""What of events is asked for: the attributes that rules mention. All else is not looked at, and may be anything."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Asked"]

_LEVELS = 16


class Asked:
    """The names that rules mention, and those of the objects that they may be in.

    Names are only added. One writer adds while others ask; who wants to know whether any came in between compares how
    many there are. Names of more than 16 levels are known by their first 16, or their beginnings would take far more
    room than they do: deeper than that, a way that leads to no name may be followed.

    >>> asked = Asked(["age", "user.home.city"])
    >>> "age" in asked.names, asked.leads_on("user.home"), asked.leads_on("age")
    (True, True, False)
    """

    __slots__ = ("above", "deep", "names")

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Begin with some names."""
        self.names: set[str] = set()
        self.above: set[str] = set()
        self.deep: set[str] = set()
        self.add(names)

    def __len__(self) -> int:
        """Return how many names there are."""
        return len(self.names)

    def add(self, names: Iterable[str]) -> None:
        """Add names; each is there only when the ways to it are."""
        for name in names:
            if name not in self.names:
                if "." in name:
                    self._lead_to(name)
                self.names.add(name)

    def _lead_to(self, name: str) -> None:
        levels = name.split(".", _LEVELS)
        for count in range(1, len(levels)):
            self.above.add(".".join(levels[:count]))
        if "." in levels[-1]:  # there are more of them
            self.deep.add(".".join(levels[:-1]))

    def leads_on(self, name: str) -> bool:
        """Return whether what is in an object of this name may be asked for."""
        if name in self.above:
            return True
        return bool(self.deep) and _beginning(name) in self.deep

    def wants(self, name: str) -> bool:
        """Return whether an attribute of this name is asked for, or may be in an object of this name."""
        return name in self.names or self.leads_on(name)


def _beginning(name: str) -> str:
    """Return the first levels of a name that has more; all of it otherwise."""
    return ".".join(name.split(".", _LEVELS)[:_LEVELS])
