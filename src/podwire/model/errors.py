"""What podwire cannot do, as opposed to what is wrong with the system that it looks at."""


class PodwireError(Exception):
    """podwire cannot go on: what is in the way, and what to do about it. `cli` shows it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
