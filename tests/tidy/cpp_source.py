# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
"""Reads C++ well enough for the tidy test: code without its comments, and where functions are.

This is no parser. It goes by braces and by what stands before them, and knows the ways in which
this project writes functions: free, member, constructor with initialisers, lambda in a namespace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<line>//(?:\\\n|[^\n])*)
      | (?P<block>/\*.*?\*/)
      | (?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
      | (?P<text>"(?:\\.|[^"\\\n])*")
      | (?P<number>\b[0-9](?:'?[0-9A-Za-z_.])*)
      | (?P<char>'(?:\\.|[^'\\\n])+')""",
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def without_comments(text: str) -> str:
    """The text with its comments blanked; every line keeps its number."""

    def replace(match: re.Match[str]) -> str:
        comment = match.group("line") or match.group("block")
        return _blank(match.group()) if comment else match.group()

    return _TOKEN.sub(replace, text)


def code_only(text: str) -> str:
    """The text with comments, literals and directives blanked; every line keeps its number."""

    def replace(match: re.Match[str]) -> str:
        return match.group() if match.group("number") else _blank(match.group())

    return _DIRECTIVE.sub(lambda match: _blank(match.group()), _TOKEN.sub(replace, text))


@dataclass
class Function:
    name: str
    first: int  # line of the first word of its declaration
    last: int  # line of its closing brace

    @property
    def lines(self) -> int:
        return self.last - self.first + 1


_ACCESS = re.compile(r"(public|private|protected)\s*$")
_TYPE = re.compile(r"^(template\s*<.*>\s*)?(typedef\s+)?(class|struct|union|enum)\b", re.DOTALL)
_SCOPE = re.compile(r"^(inline\s+)?namespace\b|^extern\s*$")
_LAMBDA = re.compile(
    r"\[[^\[\]]*\]\s*(<[^{}]*>\s*)?(\(\)\s*)?((constexpr|mutable|noexcept)\s*)*(->[^{}]*)?$"
)
_AFTER_PARAMETERS = re.compile(
    r"\(\)\s*((const|volatile|noexcept|override|final|mutable|try|requires[^{};]*|->[^{};]*"
    r"|\[\[[^\[\]]*\]\]|&&?)\s*(\(\))?\s*)*$"
)
_INITIALISERS = re.compile(r"\(\)\s*((const|noexcept)\s*(\(\))?\s*)*:(?!:)")
_OPERATOR = re.compile(r"\boperator\s*(\(\)|[^\s\w]{1,3}?)\s*(?=\()")
_ASSIGNS = re.compile(r"(?<![=!<>+\-*/%&|^])=(?!=)")


def _squash(head: str) -> str:
    """Every group of parentheses without what stands in it; an unclosed one is left open."""
    before = None
    marked = head.replace("(", "\1").replace(")", "\2")
    while before != marked:
        before = marked
        marked = re.sub("\1[^\1\2]*\2", "()", marked)
    return marked.replace("\1", "(").replace("\2", ")")


def _named(head: str) -> str:
    """The squashed head with every operator's sign replaced by a word."""
    return _OPERATOR.sub("operator_", _squash(head).strip())


def _kind(head: str) -> str:
    """What a brace after `head` opens: scope, function, initialiser or member (initialiser)."""
    squashed = _squash(head).strip()
    bare = _named(head)
    if not squashed or _SCOPE.search(squashed):
        return "scope"
    if _TYPE.search(squashed) and not squashed.endswith(")"):
        return "scope"
    if _LAMBDA.search(squashed):
        return "function"
    open_parentheses = squashed.count("(") > squashed.count(")")
    if open_parentheses or _ASSIGNS.search(re.sub(r"<[^<>;{}]*>", "", bare)):
        return "initialiser"
    members = _INITIALISERS.search(bare)
    if members:
        return "function" if bare[-1] in ")}" else "member"
    return "function" if _AFTER_PARAMETERS.search(bare) else "initialiser"


def _name(head: str) -> str:
    squashed = _squash(re.sub(r"\s+", " ", head)).strip()
    before = re.match(r"(.*?)\s*\(\)", squashed)
    words = (before.group(1) if before else squashed).split()
    return words[-1].lstrip("*&") if words else "?"


class _Scanner:
    """Goes through code once, brace by brace."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.head: list[str] = []
        self.head_line = 0
        self.heads: list[tuple[str, list[str], int]] = []  # what each open brace opened
        self.line = 1

    def scan(self) -> Iterator[Function]:
        inside = 0  # braces open since the function's own, which is counted
        function = Function("", 0, 0)
        for letter in self.code:
            self.line += letter == "\n"
            if inside:
                inside += (letter == "{") - (letter == "}")
                if not inside:
                    function.last = self.line
                    yield function
                    self._after_function()
                continue
            if letter == "{" and self._open():
                inside = 1
                function = Function(_name("".join(self.head)), self.head_line, 0)
            elif letter == "}":
                self._close()
            elif letter == ";" and self._parentheses() == 0:
                self.head = []
            elif letter not in "{}":
                self._take(letter)

    def _parentheses(self) -> int:
        return self.head.count("(") - self.head.count(")")

    def _after_function(self) -> None:
        """A lambda that is part of a declaration leaves its head; a function ends it."""
        text = "".join(self.head)
        keep = self._parentheses() > 0 or _ASSIGNS.search(_named(text))
        self.head = [*self.head, "{", "}"] if keep else []

    def _open(self) -> bool:
        """True when the brace begins a function."""
        kind = _kind("".join(self.head))
        if kind == "function":
            return True
        self.heads.append((kind, self.head, self.head_line))
        self.head = []
        return False

    def _close(self) -> None:
        kind, head, line = self.heads.pop() if self.heads else ("scope", [], 0)
        self.head = [] if kind == "scope" else [*head, "{", "}"]
        self.head_line = line

    def _take(self, letter: str) -> None:
        if letter == ":" and _ACCESS.match("".join(self.head).strip()):
            self.head = []
            return
        in_list = bool(self.heads) and self.heads[-1][0] != "scope"
        if letter == "," and in_list and self._parentheses() == 0:
            self.head = []  # the next element of a list; keeps long tables cheap
            return
        if not self.head:
            if letter.isspace():
                return
            self.head_line = self.line
        self.head.append(letter)


def functions(text: str) -> Iterator[Function]:
    """Every function of a C++ file; what is inside a function is part of it."""
    return _Scanner(code_only(text)).scan()
