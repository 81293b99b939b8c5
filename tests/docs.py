"""Everything in the repository that is written by podwire itself, written again.

`python -m tests.docs` writes; with `--check` it names what differs and writes nothing.
"""

import argparse
import difflib
import sys
from collections.abc import Iterator
from pathlib import Path

from podwire.findings.model import Rule
from podwire.present import ascii_json
from podwire.present.explain import pages
from podwire.present.report_schema import report_schema, spec_schema
from podwire.rules import CATALOGUE
from tests.rule_cases import EXPECTED, ROOT, Case, cases_of, said

_DOCS = ROOT / "docs"
_RULES = _DOCS / "rules"
_README = ROOT / "README.md"
_EXAMPLE = "examples/broken"
_BEGIN, _END = "<!-- example -->\n", "<!-- /example -->"


def written() -> Iterator[tuple[Path, str]]:
    """Give every generated file with its text."""
    rules = {f"{rule.id}.md": rule for rule in CATALOGUE}
    for text, name in pages(CATALOGUE):
        yield _RULES / name, text + example(rules[name]) if name in rules else text
    yield _DOCS / "report.schema.json", ascii_json.document(report_schema())
    yield _DOCS / "spec.schema.json", ascii_json.document(spec_schema())
    yield _README, readme(_README.read_text(encoding="utf-8"))


def example(rule: Rule) -> str:
    """Show a rule's first pair: what is broken, what podwire says, what mends it."""
    pair = first_pair(rule)
    if pair is None:
        return ""
    broken, mended = pair
    lines = ["", "## Example", ""]
    for name in differing(broken, mended):
        text = _text(broken.folder / name)
        if text:
            lines += [f"`{name}`:", "", "```", *text.rstrip("\n").split("\n"), "```", ""]
    words = _finding_of(broken)
    lines += ["`podwire check` says:", "", "```", *words.rstrip("\n").split("\n"), "```", ""]
    lines += ["With this change it says nothing:", "", "```diff"]
    for name in differing(broken, mended):
        lines += difference(name, broken, mended)
    return "\n".join([*lines, "```"]) + "\n"


def first_pair(rule: Rule) -> tuple[Case, Case] | None:
    found = {case.folder.name: case for case in cases_of(rule)}
    for name, case in found.items():
        other = found.get(f"quiet-{case.letter}")
        if name.startswith("fires-") and len(case.letter) == 1 and other is not None:
            return case, other
    return None


def differing(broken: Case, mended: Case) -> list[str]:
    """Name the files of a pair that are not the same in both."""
    names = {
        str(path.relative_to(case.folder))
        for case in (broken, mended)
        for path in case.folder.rglob("*")
        if path.is_file() and path.name != EXPECTED
    }
    return sorted(n for n in names if _text(broken.folder / n) != _text(mended.folder / n))


def difference(name: str, broken: Case, mended: Case) -> list[str]:
    before, after = (_text(case.folder / name).split("\n") for case in (broken, mended))
    return list(difflib.unified_diff(before, after, name, name, n=2, lineterm=""))


def _finding_of(case: Case) -> str:
    """Cut the rule's own finding out of the report: blocks are parted by an empty line."""
    blocks = said(case.folder).text.split("\n\n")
    return next(block for block in blocks if f"[{case.rule.id}]" in block.split("\n")[0])


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def readme(text: str) -> str:
    """Put the first finding of the example between the marks, and the last lines."""
    head, begin, rest = text.partition(_BEGIN)
    _, end, tail = rest.partition(_END)
    assert begin, f"README.md lacks the line {_BEGIN.strip()}"
    assert end, f"README.md lacks the line {_END}"
    blocks = said(ROOT / _EXAMPLE).text.rstrip("\n").split("\n\n")
    shown = [blocks[0], *(["..."] if len(blocks) > 2 else []), blocks[-1]]
    lines = [f"    $ podwire check {_EXAMPLE}", *"\n\n".join(shown).split("\n")]
    body = "\n".join(f"    {line}".rstrip() if line[:5] != "    $" else line for line in lines)
    return f"{head}{begin}\n{body}\n\n{end}{tail}"


def superfluous(names: set[Path]) -> list[Path]:
    """Find pages of rules that are gone."""
    return sorted(path for path in _RULES.glob("*.md") if path not in names)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only name what differs")
    is_checking = parser.parse_args().check
    texts = dict(written())
    gone = superfluous(set(texts))
    stale = [path for path, text in texts.items() if _text(path) != text]
    for path in (*stale, *gone):
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
    if is_checking:
        if stale or gone:
            sys.stderr.write("these are generated and differ; run: make docs\n")
        return 1 if stale or gone else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[path], encoding="utf-8")
    for path in gone:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
