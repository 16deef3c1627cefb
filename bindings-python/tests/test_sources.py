"""The I/O layer knows nothing of the wire: that is the engine's alone."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import mcp_sansio

PACKAGE = Path(mcp_sansio.__file__).parent
WIRE = re.compile(
    r"""jsonrpc | ^(id|method|params|result|error|code|requestId|progressToken|protocolVersion)$
      | ^(initialize|initialized|ping)$
      | ^(notifications|tools|resources|prompts|logging|completion|elicitation|sampling|roots|server|subscriptions)/
      | io\.modelcontextprotocol""",
    re.VERBOSE,
)
ERROR_CODES = range(-32999, -31999)


def _code_of(path: Path) -> list[ast.Constant]:
    """The constants of a file, without its docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    documentation = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        for statement in node.body
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    }
    return [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in documentation]


def _numbers(path: Path) -> list[int]:
    tree = ast.parse(path.read_text("utf-8"))
    return [
        -node.operand.value
        for node in ast.walk(tree)
        if isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
        and isinstance(node.operand.value, int)
    ]


def test_no_source_names_a_part_of_the_wire() -> None:
    # Only the types of payloads say what is on the wire, and nothing of them is there when it runs.
    sources = sorted(set(PACKAGE.glob("**/*.py")) - {PACKAGE / "types.py"})
    assert len(sources) > 8
    found = [
        f"{path.name}:{constant.lineno}: {constant.value!r}"
        for path in sources
        for constant in _code_of(path)
        if isinstance(constant.value, str) and WIRE.search(constant.value)
    ]
    assert found == []
    assert [number for path in sources for number in _numbers(path) if number in ERROR_CODES] == []


def _imports_types(tree: ast.AST) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.level > 0
        and (node.module == "types" or any(alias.name == "types" for alias in node.names))
        for node in ast.walk(tree)
    )


def _runs(tree: ast.Module) -> ast.Module:
    """Without what is for type checkers alone."""
    body = [
        statement
        for statement in tree.body
        if not (isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING")
    ]
    return ast.Module(body, [])


def test_the_payload_types_are_for_type_checkers_alone() -> None:
    trees = {path.name: ast.parse(path.read_text("utf-8")) for path in PACKAGE.glob("**/*.py")}
    assert [name for name, tree in trees.items() if _imports_types(_runs(tree))] == ["__init__.py"]
    assert "_client.py" in [name for name, tree in trees.items() if _imports_types(tree)]


def test_the_test_would_find_it(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text('"""tools/call"""\nx = {"method": "tools/call", "n": -32601}\n')
    assert [constant.value for constant in _code_of(planted) if WIRE.search(str(constant.value))] == [
        "method",
        "tools/call",
    ]
    assert _numbers(planted) == [-32601]
