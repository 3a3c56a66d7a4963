"""The stub has the docstrings of the extension, and the script puts them there and does no more."""

import ast

import pytest
import stub_docs

from pyphys2d import _core

pytestmark = pytest.mark.skipif(not stub_docs.STUB.is_file(), reason="the source tree is not here")


def test_the_stub_has_the_docstrings_of_the_extension():
    assert stub_docs.main(["--check"]) == 0, (
        "run python tests/house/stub_docs.py and ruff format pyphys2d/_core.pyi"
    )


def test_what_is_written_by_hand_stays():
    """Without its docstrings the stub says what it said, and with them again it is what it was."""
    source = stub_docs.STUB.read_text()

    class Nothing:
        pass

    bare = stub_docs.documented(source, Nothing())
    assert "Parameters\n" not in bare
    assert ast.dump(ast.parse(stub_docs.documented(bare, _core))) == ast.dump(ast.parse(source))


def test_editors_find_what_is_asked_for():
    tree = ast.parse(stub_docs.STUB.read_text())
    world = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "World")
    step = next(n for n in world.body if isinstance(n, ast.FunctionDef) and n.name == "step")
    assert ast.get_docstring(step) == _core.World.step.__doc__.rstrip()
    assert "dt" in ast.get_docstring(step)


def test_overloads_setters_and_private_names_have_none():
    source = """class World:
    @property
    def gravity(self) -> int:
        '''Old words.'''
    @gravity.setter
    def gravity(self, value: int) -> None: ...
    def _step(self) -> None: ...
    def step(self) -> None: ...
"""

    class Module:
        class World:
            """A \\\\ line."""

            gravity = property(lambda self: 0, doc="New words.\n\n    More.")

            def step(self):
                pass

            def _step(self):
                """Private."""

    assert (
        stub_docs.documented(source, Module)
        == '''class World:
    r"""A \\\\ line."""

    @property
    def gravity(self) -> int:
        """New words.

        More.
        """
    @gravity.setter
    def gravity(self, value: int) -> None: ...
    def _step(self) -> None: ...
    def step(self) -> None: ...
'''
    )
