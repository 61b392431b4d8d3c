"""What headers ask of a compiler with `__has_attribute` and its like, and what compilers answer.

A compiler that is there is asked; these tables say what to ask, and what the compilers of targets answer that are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_BOTH_ATTRIBUTES = """
    alias aligned alloc_align alloc_size always_inline artificial assume_aligned cdecl cleanup cold common const
    constructor deprecated destructor error fallthrough fastcall flatten format format_arg gnu_inline hot ifunc leaf
    malloc may_alias mode ms_abi ms_struct naked no_instrument_function no_sanitize no_sanitize_address
    no_split_stack no_stack_protector nocommon noinline nonnull noreturn nothrow packed patchable_function_entry
    pure regparm retain returns_nonnull returns_twice section sentinel stdcall sysv_abi target thiscall tls_model
    transparent_union unavailable unused used vector_size visibility warn_unused_result warning weak weakref
"""
_GCC_ATTRIBUTES = """
    access copy externally_visible gcc_struct noclone noipa nonstring noplt optimize scalar_storage_order simd
    symver designated_init
"""
_CLANG_ATTRIBUTES = """
    acquire_capability analyzer_noreturn annotate availability capability diagnose_if disable_tail_calls enable_if
    enum_extensibility ext_vector_type flag_enum guarded_by internal_linkage lockable lto_visibility_public
    minsize musttail noderef nodebug nomerge not_tail_called objc_boxable optnone os_consumed overloadable
    pass_object_size preserve_all preserve_most release_capability require_constant_initialization swift_attr swift_name
    swiftcall type_visibility vectorcall
"""
_BOTH_BUILTINS = """
    __builtin_add_overflow __builtin_alloca __builtin_assume_aligned __builtin_bswap16 __builtin_bswap32
    __builtin_bswap64 __builtin_choose_expr __builtin_classify_type __builtin_clz __builtin_constant_p __builtin_ctz
    __builtin_dynamic_object_size __builtin_expect __builtin_expect_with_probability __builtin_ffs
    __builtin_huge_val __builtin_inf __builtin_isnan __builtin_memcpy __builtin_memset __builtin_mul_overflow
    __builtin_nan __builtin_object_size __builtin_offsetof __builtin_popcount __builtin_prefetch
    __builtin_sub_overflow __builtin_trap __builtin_types_compatible_p __builtin_unreachable __builtin_va_end
    __builtin_va_start __sync_fetch_and_add __sync_synchronize __atomic_load_n __atomic_store_n
"""
_GCC_BUILTINS = "__builtin_has_attribute __builtin_va_arg_pack __builtin_va_arg_pack_len"
_CLANG_BUILTINS = "__builtin_assume __builtin_debugtrap __builtin_bitreverse32 __builtin_rotateleft32 __c11_atomic_load"
_CLANG_FEATURES = """
    assume_nonnull attribute_analyzer_noreturn attribute_availability attribute_availability_app_extension
    attribute_availability_swift attribute_availability_with_message attribute_deprecated_with_message
    attribute_ext_vector_type attribute_unavailable_with_message c_alignas c_alignof c_atomic c_generic_selections
    c_static_assert c_thread_local enumerator_attributes nullability nullability_on_arrays
    statement_attributes_with_gnu_syntax tls
"""
_CLANG_MODES = """
    address_sanitizer blocks dataflow_sanitizer enumerator_fixed_underlying_type memory_sanitizer modules objc_arc
    objc_fixed_enum ptrauth_calls thread_sanitizer undefined_behavior_sanitizer
"""
"""What is a feature only where an option or the platform turns it on."""
_DATED: Final[dict[str, int]] = {
    "deprecated": 201904,
    "fallthrough": 201904,
    "maybe_unused": 201904,
    "nodiscard": 202003,
    "noreturn": 202202,
    "_Noreturn": 202202,
    "unsequenced": 202207,
    "reproducible": 202207,
}
"""Standard attributes and the values that C23 gives them (6.10.2 and 6.7.13)."""

_OPERATORS: Final[dict[str, tuple[str, str, str]]] = {
    "__has_attribute": (_BOTH_ATTRIBUTES, _GCC_ATTRIBUTES, _CLANG_ATTRIBUTES),
    "__has_builtin": (_BOTH_BUILTINS, _GCC_BUILTINS, _CLANG_BUILTINS),
    "__has_feature": ("", "", _CLANG_FEATURES + _CLANG_MODES),
    "__has_extension": ("", "", _CLANG_FEATURES + _CLANG_MODES),
    "__has_declspec_attribute": ("", "", "dllexport dllimport align noreturn deprecated"),
    "__has_c_attribute": (" ".join(_DATED), "", ""),
    "__has_cpp_attribute": (" ".join(_DATED), "", ""),
    "__has_warning": ("", "", ""),
    "__is_identifier": ("", "", ""),
}
_LACKING = {
    "gcc": ("__has_feature", "__has_extension", "__has_declspec_attribute", "__has_warning", "__is_identifier"),
    "clang": ("__has_cpp_attribute",),
}
"""Compiler to the operators that it does not have in C."""
HEADER_OPERATORS = ("__has_include", "__has_include_next")
"""The operators that look for a file."""

_PREFIX = "__abigen_answer"

Answers = Mapping[str, Mapping[str, int]]
"""For each operator that a compiler has, the names for which it answers other than 0, and what it answers."""


def questions() -> str:
    """C text that defines a macro for every question that a compiler answers with yes."""
    lines = []
    for operator, names in _OPERATORS.items():
        lines += [f"#ifdef {operator}", f"#define {_PREFIX} {operator}"]
        for name in sorted(set(" ".join(names).split())):
            lines += [f"#if {operator}({name})", f"#define {_PREFIX}_{operator}_{name}", "#endif"]
        lines += [f"#undef {_PREFIX}", f"#define {_PREFIX}_{operator}", "#endif"]
    for operator in HEADER_OPERATORS:
        lines += [f"#ifdef {operator}", f"#define {_PREFIX}_{operator}", "#endif"]
    return "\n".join(lines) + "\n"


def read_answers(macros: str) -> tuple[Answers, str]:
    """Take the answers to `questions` out of a compiler's list of macros.

    Args:
        macros: lines `#define NAME BODY`.

    Returns:
        The answers, and the lines that are none.
    """
    answers: dict[str, dict[str, int]] = {}
    rest = []
    marker = f"#define {_PREFIX}_"
    for line in macros.splitlines(keepends=True):
        if not line.startswith(marker):
            rest.append(line)
            continue
        asked = line.removeprefix(marker).strip()
        operator = next(
            each for each in sorted((*_OPERATORS, *HEADER_OPERATORS), key=len, reverse=True) if asked.startswith(each)
        )
        name = asked.removeprefix(operator).removeprefix("_")
        found = answers.setdefault(operator, {})
        if name:
            found[name] = _value(operator, name)
    return answers, "".join(rest)


def usual_answers(compiler: str) -> Answers:
    """What a compiler answers that is not there to be asked.

    Args:
        compiler: `gcc`, `clang` or `msvc`.
    """
    if compiler == "msvc":
        return {"__has_include": {}, "__has_cpp_attribute": {}}
    answers: dict[str, dict[str, int]] = {each: {} for each in HEADER_OPERATORS}
    for operator, (both, gcc, clang) in _OPERATORS.items():
        if operator in _LACKING[compiler]:
            continue
        names = _CLANG_FEATURES if clang.endswith(_CLANG_MODES) else f"{both} {gcc if compiler == 'gcc' else clang}"
        answers[operator] = {name: _value(operator, name) for name in names.split()}
    return answers


def _value(operator: str, name: str) -> int:
    return _DATED.get(name, 1) if operator in ("__has_c_attribute", "__has_cpp_attribute") else 1
