"""What attributes mean: which change layout, which change calls, which only help the compiler."""

from __future__ import annotations

from abigen.model.ctype import Basic, CType, EnumType, Pointer, RecordType
from abigen.read.c.constants import integer
from abigen.read.c.syntax import Attribute

CALLS = frozenset(
    "cdecl stdcall fastcall thiscall vectorcall regcall pascal ms_abi sysv_abi regparm pcs sseregparm aarch64_vector_pcs "
    "preserve_all preserve_most preserve_none swiftcall swiftasynccall intel_ocl_bicc clrcall".split()
)
"""Attributes that choose a calling convention."""

LAYOUT = frozenset(
    "packed aligned align ms_struct gcc_struct transparent_union mode vector_size ext_vector_type".split()
)
"""Attributes that change size, alignment or offsets, and that the model can express."""

NOT_MODELLED = frozenset(
    "scalar_storage_order address_space neon_vector_type neon_polyvector_type matrix_type arm_sve_vector_bits "
    "riscv_rvv_vector_bits trivial_abi randomize_layout btf_type_tag layout_version".split()
)
"""Attributes that change layout or meaning of bytes in a way that the model cannot express."""

FLAGS = frozenset(
    "weak noreturn const pure malloc nonnull returns_nonnull warn_unused_result nodiscard format format_arg sentinel "
    "alloc_size alloc_align assume_aligned returns_twice leaf nothrow hot cold constructor destructor alias weakref ifunc "
    "warning error artificial always_inline noinline gnu_inline unavailable may_alias designated_init maybe_unused "
    "no_unique_address reproducible unsequenced naked interrupt selectany novtable".split()
)
"""Attributes that are kept by name in an entity's flags."""

HARMLESS = frozenset(
    "visibility dllexport dllimport externally_visible deprecated unused used retain section tls_model cleanup common nocommon "
    "availability swift_name swift_private swift_attr swift_error swift_bridge objc_bridge objc_boxable enum_extensibility "
    "flag_enum annotate access fd_arg fd_arg_read fd_arg_write null_terminated_string_arg copy symver target target_clones "
    "optimize no_sanitize no_sanitize_address no_sanitize_thread no_sanitize_undefined no_instrument_function no_profile_instrument_function "
    "no_stack_protector stack_protect nodebug noplt no_reorder noipa noclone noescape nonstring counted_by counted_by_or_null "
    "sized_by warn_if_not_aligned flatten zero_call_used_regs patchable_function_entry fallthrough malloc_span tainted_args "
    "expected_throw strict_flex_array element_count simd error_type capability acquire_capability release_capability "
    "requires_capability guarded_by pt_guarded_by lockable scoped_lockable exclusive_locks_required shared_locks_required "
    "overloadable enable_if diagnose_if pass_object_size callback os_consumed ns_returns_retained ns_returns_not_retained "
    "cf_returns_retained cf_returns_not_retained cf_consumed ns_consumed type_visibility internal_linkage exclude_from_explicit_instantiation "
    "uninitialized lifetimebound carries_dependency likely unlikely noalias restrict allocator property uuid nothrow "
    "force_align_arg_pointer no_caller_saved_registers cf_check nocf_check indirect_branch indirect_return function_return "
    "bounded hidden __nothrow__ no_icf persistent noinit null_unspecified nullable require_constant_initialization "
    "spectre safebuffers code_seg thread".split()
)
"""Attributes that change neither layout nor calls."""

_VECTOR_ELEMENTS = {
    "char": 1,
    "signed char": 1,
    "unsigned char": 1,
    "short": 2,
    "unsigned short": 2,
    "int": 4,
    "unsigned int": 4,
    "long long": 8,
    "unsigned long long": 8,
    "float": 4,
    "double": 8,
    "_Float16": 2,
    "__bf16": 2,
    "__int128": 16,
    "unsigned __int128": 16,
}
"""Sizes in bytes of what a vector's elements may be, where they are the same on all targets."""


def number_argument(attribute: Attribute) -> int | None:
    """The attribute's argument when it is one integer constant."""
    if len(attribute.arguments) != 1:
        return None
    literal = integer(attribute.arguments[0].text)
    return None if literal is None else literal.value


def vector_bytes(attribute: Attribute, number: int, element: CType) -> int:
    """The size in bytes of the vector that an attribute makes of a type.

    Args:
        attribute: `vector_size`, which counts bytes, or `ext_vector_type`, which counts elements.
        number: its argument.
        element: the type of the elements, typedefs resolved.

    Returns:
        The size; 0 when it makes none.
    """
    if isinstance(element, (Pointer, RecordType, EnumType)):
        return 0
    if attribute.name == "vector_size":
        return number
    return number * _VECTOR_ELEMENTS.get(element.name, 0) if isinstance(element, Basic) else 0
