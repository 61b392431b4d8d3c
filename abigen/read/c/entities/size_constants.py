"""Constants that tell how large a struct is: recognised by the types that they name, whatever they are called."""

from __future__ import annotations

from collections.abc import Iterable

from abigen.model.api import Api
from abigen.model.ctype import Binary, Cast, CType, Expression, Literal, OffsetOf, SizeOf, SizeOfMember
from abigen.model.entities import Constant, Entity, SizeConstant
from abigen.model.spelling import spell_path


def find_size_constants(api: Api, objects: Iterable[Constant] = ()) -> dict[str, SizeConstant]:
    """Find the size constants among the macros, enumerators and constant objects of an API.

    Offset of the last member plus its size, and `sizeof(T)`, count in each of them.

    Args:
        api: all else that it declares.
        objects: objects that are const, with the values that they are initialised with.
    """
    found: dict[str, SizeConstant] = {}
    for constant in api.constants.values():
        if constant.expression is not None and (size := _read(constant, constant.expression, "macro", api)) is not None:
            found[constant.name] = size
    for each in objects:
        if each.expression is not None and (size := _read(each, each.expression, "variable", api)) is not None:
            found[each.name] = size
    for enum in api.enums.values():
        for enumerator in enum.enumerators or ():
            if enumerator.expression is not None:
                size = _read(_as_constant(enumerator), enumerator.expression, "enumerator", api)
                if size is not None:
                    found[enumerator.name] = size
    return found


def _as_constant(entity: Entity) -> Constant:
    return Constant(
        name=entity.name, span=entity.span, doc=entity.doc, contract=entity.contract, in_api=entity.in_api, text=""
    )


def _read(constant: Constant, expression: Expression, form: str, api: Api) -> SizeConstant | None:
    """The size constant that an expression is; None when it is anything else."""

    def make(struct: str, member: str, offset_struct: str = "", offset_member: str = "") -> SizeConstant:
        return SizeConstant(
            name=constant.name,
            span=constant.span,
            doc=constant.doc,
            contract=constant.contract,
            in_api=constant.in_api,
            struct=struct,
            last_member=member,
            form=form,
            expression=expression,
            offset_struct=offset_struct,
            offset_member=offset_member,
        )

    terms = _terms(expression)
    if len(terms) == 1 and isinstance(terms[0], SizeOf):
        struct = _key(terms[0].type, api)
        return make(struct, "") if struct else None
    if len(terms) != 2:
        return None
    offset = next((term for term in terms if isinstance(term, OffsetOf)), None)
    size = next((term for term in terms if term is not offset), None)
    if offset is None or size is None or not _is_measure(size):
        return None
    offset_struct, offset_member = _key(offset.type, api), spell_path(offset.path)
    if not isinstance(size, SizeOfMember):
        return make(offset_struct, offset_member) if offset_struct else None
    struct, member = _key(size.type, api), spell_path(size.path)
    if not struct or not offset_struct:
        return None
    if (struct, member) == (offset_struct, offset_member):
        return make(struct, member)
    return make(struct, member, offset_struct, offset_member)


def _is_measure(expression: Expression) -> bool:
    """Whether an expression may be the size of a member: a size, a number, a product (`3 * sizeof(int32_t)`)."""
    if isinstance(expression, Cast):
        return _is_measure(expression.operand)
    if isinstance(expression, Binary) and expression.operator == "*":
        return _is_measure(expression.left) and _is_measure(expression.right)
    return isinstance(expression, SizeOf | SizeOfMember | Literal)


def _terms(expression: Expression) -> list[Expression]:
    """The summands of an expression, casts around it taken off."""
    terms: list[Expression] = []
    pending = [expression]
    while pending and len(terms) < 3:
        each = pending.pop()
        if isinstance(each, Cast):
            pending.append(each.operand)
        elif isinstance(each, Binary) and each.operator == "+":
            pending += [each.right, each.left]
        else:
            terms.append(each)
    return terms


def _key(type: CType, api: Api) -> str:
    """The key of the struct that a type is; empty when it is none."""
    struct = api.struct_of(type)
    return "" if struct is None else struct.name
