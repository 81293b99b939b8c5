"""What a List was complete for: the kinds and namespaces that occur in it."""

import enum

import msgspec


class Listing(enum.Enum):
    """When a List in a file says that there is no more than what is in it."""

    NEVER = "manifests of a bundle"
    KUBECTL = "files in a folder: where kubectl or the API server wrote the List"
    ALONE = "a file given by itself: any List in JSON, else as above"
    WHOLE = "cluster/ of a bundle: any, for all namespaces"

    def holds(self, *, has_version: bool, is_json: bool) -> bool:
        """Say whether a List counts; `has_version`: it has `metadata.resourceVersion`."""
        if self is Listing.NEVER:
            return False
        return self is Listing.WHOLE or has_version or (self is Listing.ALONE and is_json)


class Scope(msgspec.Struct):
    """Filled while the items of one List are read."""

    kinds: set[str] = msgspec.field(default_factory=set)
    namespaces: set[str] = msgspec.field(default_factory=set)
    lost: set[str] = msgspec.field(default_factory=set)
    is_damaged: bool = False

    def lose(self, kind: str | None) -> None:
        """Note an item that could not be read: of its kind not everything is in sight."""
        if kind is None:
            self.is_damaged = True
        else:
            self.lost.add(kind)

    @property
    def complete(self) -> frozenset[str]:
        """The kinds of which every item was read."""
        return frozenset() if self.is_damaged else frozenset(self.kinds - self.lost)
