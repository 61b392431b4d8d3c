"""What attributes mean: which change layout, which change calls, which only help the compiler."""

from __future__ import annotations

from abigen.model.ctype import Basic, CType, EnumType, Pointer, RecordType
from abigen.read.c.literals import integer
from abigen.read.c.syntax.trees import Attribute

CALLS = frozenset(
    """
    cdecl stdcall fastcall thiscall vectorcall regcall pascal ms_abi sysv_abi regparm pcs sseregparm
    aarch64_vector_pcs preserve_all preserve_most preserve_none swiftcall swiftasynccall intel_ocl_bicc clrcall
    """.split()  # noqa: SIM905
)
"""Attributes that choose a calling convention."""

LAYOUT = frozenset(
    """
    packed aligned align ms_struct gcc_struct transparent_union mode vector_size ext_vector_type
    """.split()  # noqa: SIM905
)
"""Attributes that change size, alignment or offsets, and that the model can express."""

NOT_MODELLED = frozenset(
    """
    scalar_storage_order address_space neon_vector_type neon_polyvector_type matrix_type arm_sve_vector_bits
    riscv_rvv_vector_bits trivial_abi randomize_layout btf_type_tag layout_version
    """.split()  # noqa: SIM905
)
"""Attributes that change layout or meaning of bytes in a way that the model cannot express."""

FLAGS = frozenset(
    """
    weak noreturn const pure malloc nonnull returns_nonnull warn_unused_result nodiscard format format_arg
    sentinel alloc_size alloc_align assume_aligned returns_twice leaf nothrow hot cold constructor destructor
    alias weakref ifunc warning error artificial always_inline noinline gnu_inline unavailable may_alias
    designated_init maybe_unused no_unique_address reproducible unsequenced naked interrupt selectany novtable
    """.split()  # noqa: SIM905
)
"""Attributes that are kept by name in an entity's flags."""

HARMLESS = frozenset(
    """
    access acquire_capability allocator annotate availability bounded callback capability carries_dependency
    cf_check cf_consumed cf_returns_not_retained cf_returns_retained cleanup code_seg common copy counted_by
    counted_by_or_null deprecated diagnose_as_builtin diagnose_if dllexport dllimport enable_if
    enum_extensibility exclude_from_explicit_instantiation exclusive_locks_required externally_visible
    fallthrough fd_arg fd_arg_read fd_arg_write flag_enum flatten force_align_arg_pointer function_return
    guarded_by indirect_branch indirect_return internal_linkage lifetimebound likely lockable
    no_caller_saved_registers no_icf no_instrument_function no_profile_instrument_function no_reorder
    no_sanitize no_sanitize_address no_sanitize_thread no_sanitize_undefined no_stack_protector noalias
    nocf_check noclone nocommon nodebug noescape noinit noipa nonstring noplt ns_consumed ns_error_domain
    ns_returns_not_retained ns_returns_retained null_terminated_string_arg objc_boxable objc_bridge optimize
    os_consumed overloadable pass_object_size patchable_function_entry persistent preferred_type property
    pt_guarded_by release_capability require_constant_initialization require_explicit_initialization
    requires_capability restrict retain safebuffers scoped_lockable section shared_locks_required simd sized_by
    sized_by_or_null spectre stack_protect strict_flex_array swift_attr swift_bridge swift_error swift_name
    swift_private symver tainted_args target target_clones thread tls_model type_visibility uninitialized
    unlikely unsafe_buffer_usage unused used uuid visibility warn_if_not_aligned zero_call_used_regs
    """.split()  # noqa: SIM905
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
