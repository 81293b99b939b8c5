"""Following links inside a root, as if the root were `/`: shared by the real file systems."""

from collections.abc import Callable

from podwire.ports.hostfs import ReadFault, Trouble

_MOST_LINKS = 40  # what Linux allows in one path (path_resolution(7))


def follow(path: str, *, link_at: Callable[[str], str | None], is_last: bool = True) -> str:
    """Resolve every link in a path.

    Args:
        path: relative to the root.
        link_at: gives the target of a link, or None for anything else.
        is_last: also follow a link in the last step.

    Raises:
        ReadFault: the links form a loop, or `..` climbs above the root.
    """
    pending = path.split("/")[::-1]
    done: list[str] = []
    followed = 0
    while pending:
        step = pending.pop()
        if step in {"", "."}:
            continue
        if step == "..":
            if not done:
                raise ReadFault(path, Trouble.OUTSIDE)
            done.pop()
            continue
        here = "/".join([*done, step])
        target = link_at(here) if pending or is_last else None
        if target is None:
            done.append(step)
            continue
        followed += 1
        if followed > _MOST_LINKS:
            raise ReadFault(path, Trouble.LOOP)
        if target.startswith("/"):
            done = []
        pending.extend(target.split("/")[::-1])
    return "/".join(done)
