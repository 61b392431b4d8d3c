"""Rules about objects with external linkage."""

from __future__ import annotations

from collections.abc import Iterator

from abigen.check.axes import axes, breaks
from abigen.check.comparison import Comparison
from abigen.check.rule import Report, change_rule
from abigen.check.sources import source_bump
from abigen.check.wording import was_is
from abigen.model.ctype import Array, CType, Qualified
from abigen.model.entities import Variable
from abigen.model.finding import Bump


@change_rule("ABI411")
def variable_removed(comparison: Comparison) -> Iterator[Report]:
    """An object is gone.

    What changed: OLD declares an object with external linkage, NEW does not.

    What happens: a binary that refers to it does not load, code that names it does not compile.

    Instead: keep it; hand out such data by a function from the start.

    Source: VS, "Conventions"; the symbol is part of the binary interface.
    """
    for variable in comparison.variables.removed:
        if variable.name in comparison.new.constants or variable.name in comparison.new.size_constants:
            continue
        yield Report(
            entity=variable.name,
            bump=Bump.MAJOR,
            message=f"{variable.name} was removed",
            help=f"keep {variable.name}",
            axes=axes(
                old_plugin=breaks(f"it refers to {variable.name}, which is not there any more: it does not load"),
                source=breaks(f"code that names {variable.name} no longer compiles"),
            ),
            old=variable.span,
        )


@change_rule("ABI412")
def variable_added(comparison: Comparison) -> Iterator[Report]:
    """An object is new.

    What changed: NEW declares an object with external linkage that OLD does not have.

    What happens: an addition; but a plugin that refers to it does not load into an older core.

    Instead: hand out such data by a function, or by a struct that carries its size.

    Source: VS, "SE_MINOR" (adding a variable).
    """
    for variable in comparison.variables.added:
        if variable.name in comparison.old.constants or variable.name in comparison.old.size_constants:
            continue
        yield Report(
            entity=variable.name,
            bump=Bump.MINOR,
            message=f"{variable.name} is new",
            axes=axes(new_plugin=breaks(f"if it refers to {variable.name}, it does not load into an older core")),
            new=variable.span,
            caret="new",
        )


@change_rule("ABI413")
def variable_changed(comparison: Comparison) -> Iterator[Report]:
    """An object has another type.

    What changed: the types differ in more than spelling, or the object became thread-local or ceased to be.

    What happens: both sides read and write it with another type. The linker goes by the name alone and does not notice.

    Instead: add an object with another name.

    Source: VS, "Conventions"; C 6.2.7 paragraph 2 (all declarations of an object have compatible types).
    """
    for old, new in comparison.variables.both:
        is_local = old.thread_local != new.thread_local
        if not is_local and comparison.same_type(old.type, new.type):
            continue
        yield _changed(old, new, comparison, is_local=is_local)


def _changed(old: Variable, new: Variable, comparison: Comparison, *, is_local: bool) -> Report:
    """The report about one object."""
    only_qualifiers = not is_local and comparison.same_type(_bare(old.type), _bare(new.type))
    storage = f"is {'' if new.thread_local else 'no longer '}thread-local"
    words = storage if is_local else was_is(old.type, new.type, comparison.equality)
    reason = f"it uses {old.name} in another way than the core does: it {words}"
    source = breaks(f"code that uses {old.name} in the old way may no longer compile")
    return Report(
        entity=old.name,
        bump=source_bump(comparison, is_broken=True) if only_qualifiers else Bump.MAJOR,
        message=f"{old.name} {words}",
        help="add an object with another name",
        axes=axes(source=source)
        if only_qualifiers
        else axes(old_plugin=breaks(reason), new_plugin=breaks(reason), source=source),
        old=old.span,
        new=new.span,
    )


def _bare(type: CType) -> CType:
    """A type without the qualifiers of the object itself."""
    if isinstance(type, Qualified):
        return type.type
    return Array(_bare(type.element), type.length) if isinstance(type, Array) else type
