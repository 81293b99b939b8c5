"""Lists, groups, branches and loops of a script."""

from podwire.peers.shell.clauses import branches_of, fits, patterns_of
from podwire.peers.shell.conditions import truth
from podwire.peers.shell.follower import ExitError, Follower, LeaveError
from podwire.peers.shell.records import HOLE, Loop
from podwire.peers.shell.state import TooMuchError
from podwire.peers.shell.tree import Node

_MOST_TURNS = 5_000


class Flow(Follower):
    """What decides which commands are carried out, and how often."""

    def _list(self, node: Node) -> bool | None:
        left, right = node.named[0], node.named[-1]
        is_and = any(child.text == "&&" for child in node.children if not child.is_named)
        status = self.statement(left)
        if status is None:
            with self._state.in_doubt():
                self._guarded(lambda: self.statement(right))
            return None
        return self.statement(right) if status is is_and else status

    def _negated(self, node: Node) -> bool | None:
        status = self.statement(node.named[-1])
        return None if status is None else not status

    def _test(self, node: Node) -> bool | None:
        return truth(node, self._words.text)

    def _group(self, node: Node) -> bool | None:
        if node.children and node.children[0].text == "((":
            value = self._words.compute(node.named[0])
            return None if value is None else value != 0
        return self.statements(node.children)

    def _subshell(self, node: Node) -> bool | None:
        try:
            with self._state.apart():
                return self.statements(node.children)
        except (ExitError, LeaveError):
            return None

    def _function(self, node: Node) -> bool | None:
        name, body = node.field("name"), node.field("body")
        if name is not None and body is not None:
            self._state.functions[name.text] = body
        return True

    def _assignments(self, node: Node) -> bool | None:
        for child in node.named:
            self._assignment(child)
        return True

    def _assignment(self, node: Node) -> bool | None:
        name, value = node.field("name"), node.field("value")
        if node.kind != "variable_assignment" or name is None:
            return True
        is_added = any(child.text == "+=" for child in node.children)
        if name.kind == "subscript" or (is_added and value is not None and value.kind == "array"):
            self._state.set(name.text.partition("[")[0], HOLE)
        elif value is not None and value.kind == "array":
            self._state.set(name.text, self._words.fields(value.named))
        else:
            old = self._state.get(name.text) if is_added else ""
            text = "" if value is None else self._words.text(value)
            self._state.set(name.text, (old if isinstance(old, str) else HOLE) + text)
        return True

    # --- branches and loops -------------------------------------------------------------

    def _if(self, node: Node) -> bool | None:
        branches = branches_of(node)
        for index, (condition, body) in enumerate(branches):
            status = True if condition is None else self.statements(condition)
            if status is None:
                for _, each in branches[index:]:
                    self._perhaps(each)
                return None
            if status:
                return self.statements(body)
        return True

    def _case(self, node: Node) -> bool | None:
        value = node.field("value")
        text = HOLE if value is None else self._words.text(value)
        items = [child for child in node.named if child.kind == "case_item"]
        for index, item in enumerate(items):
            patterns = patterns_of(item)
            body = [c for c in item.named if c not in patterns]
            does_fit = fits(text, patterns)
            if does_fit is None:
                for each in items[index:]:
                    self._perhaps([c for c in each.named if c not in patterns_of(each)])
                return None
            if does_fit:
                return self.statements(body)
        return True

    def _for(self, node: Node) -> bool | None:
        variable, body = node.field("variable"), node.field("body")
        if variable is None or body is None or node.children[0].text != "for":
            self._state.gap(node.children[0].text, node.start)
            return None
        names = [c for c in node.named if c is not variable and c is not body]
        is_given = any(child.text == "in" for child in node.children)
        values = self._words.fields(names) if is_given else self._state.arguments
        with self._state.turning(is_whole=True):
            had_broken = self._state.may_have_broken
            for value in values:
                self._state.set(variable.text, value)
                if HOLE in value:
                    with self._state.turning():
                        self._perhaps(body.children, is_loop=True)
                elif self._turn(body) == "break":
                    break
            if self._state.may_have_broken and not had_broken:
                self._state.acts.append(Loop(condition=node.text, at=node.start))
        return True

    def _c_for(self, node: Node) -> bool | None:
        body = node.field("body")
        condition, update = node.field("condition"), node.field("update")
        if body is None or condition is None:
            return self._perhaps(() if body is None else body.children)
        if start := node.field("initializer"):
            self._words.compute(start)
        with self._state.turning(is_whole=True):
            return self._counted(condition, update, body)

    def _counted(self, condition: Node, update: Node | None, body: Node) -> bool | None:
        had_broken = self._state.may_have_broken
        for _ in range(_MOST_TURNS):
            value = self._words.compute(condition)
            if value is None:
                return self._perhaps(body.children)
            if not value or self._turn(body) == "break":
                return True
            if self._state.may_have_broken is not had_broken:
                self._state.acts.append(Loop(condition=condition.text, at=condition.start))
                return self._perhaps(body.children)
            if update is not None:
                self._words.compute(update)
        raise TooMuchError

    def _while(self, node: Node) -> bool | None:
        condition, body = node.field("condition"), node.field("body")
        if condition is None or body is None:
            return None
        with self._state.turning(is_whole=True):
            return self._turns(node, condition, body)

    def _turns(self, node: Node, condition: Node, body: Node) -> bool | None:
        is_while = node.children[0].text == "while"
        had_broken = self._state.may_have_broken
        for _ in range(_MOST_TURNS):
            before = len(self._state.acts)
            status = self.statement(condition)
            if status is None or self._state.may_have_broken is not had_broken:
                del self._state.acts[before:]
                self._state.acts.append(Loop(condition=condition.text, at=node.start))
                return self._perhaps((condition, *body.children))
            if status is not is_while or self._turn(body) == "break":
                return True
        self._state.acts.append(Loop(condition=condition.text, at=node.start))
        return None

    def _turn(self, body: Node) -> str:
        """Follow a loop's body once; says how it was left."""
        try:
            with self._state.turning():
                self.statements(body.children)
        except LeaveError as left:
            if left.word == "return":
                raise
            return left.word
        return ""
