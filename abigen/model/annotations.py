"""Microsoft's source annotations (SAL): macros that every standard header of MSVC defines, and that mean nothing to C.

Source: Microsoft, "Using SAL Annotations to Reduce C/C++ Code Defects"; `<sal.h>`, which `<vcruntime.h>` includes.
"""

from __future__ import annotations

_PLAIN = """
    In In_opt In_z In_opt_z Out Out_opt Inout Inout_opt Inout_z Inout_opt_z
    Outptr Outptr_opt Outptr_z Outptr_opt_z Outptr_result_maybenull Outptr_opt_result_maybenull Outptr_result_z
    Outptr_opt_result_z Outptr_result_maybenull_z Outptr_result_nullonfailure COM_Outptr COM_Outptr_opt
    COM_Outptr_result_maybenull COM_Outptr_opt_result_maybenull Outref Outref_result_maybenull
    Ret_z Ret_maybenull Ret_maybenull_z Ret_notnull Ret_null Ret_valid
    Check_return Must_inspect_result Frees_ptr Frees_ptr_opt Use_decl_annotations Reserved Const Literal Maybenull
    Notnull Null Valid Notvalid Null_terminated NullNull_terminated Field_z Points_to_data Printf_format_string
    Scanf_format_string Scanf_s_format_string Pre_valid Pre_notnull Pre_maybenull Pre_null Post_valid Post_invalid
    Post_ptr_invalid Post_notnull Post_maybenull Post_z Prepost_z Interlocked_operand No_competing_thread
    Strict_type_match Analysis_noreturn Enum_is_bitflag Result_nullonfailure Result_zeroonfailure
    Always Deref_pre_z Deref_post_z Deref_out_z Deref_ret_z Deref_prepost_z
""".split()  # noqa: SIM905
_WITH_ARGUMENTS = """
    In_reads In_reads_opt In_reads_z In_reads_opt_z In_reads_bytes In_reads_bytes_opt In_reads_or_z In_reads_to_ptr
    In_range In_bytecount In_count
    Out_writes Out_writes_opt Out_writes_z Out_writes_opt_z Out_writes_all Out_writes_all_opt Out_writes_bytes
    Out_writes_bytes_opt Out_writes_bytes_all Out_writes_bytes_all_opt Out_writes_to Out_writes_to_opt
    Out_writes_bytes_to Out_writes_bytes_to_opt Out_range Out_bytecap Out_cap
    Inout_updates Inout_updates_opt Inout_updates_z Inout_updates_all Inout_updates_all_opt Inout_updates_to
    Inout_updates_bytes Inout_updates_bytes_opt Inout_updates_bytes_all Inout_updates_bytes_to
    Outptr_result_buffer Outptr_opt_result_buffer Outptr_result_buffer_maybenull Outptr_opt_result_buffer_maybenull
    Outptr_result_buffer_to Outptr_result_buffer_all Outptr_result_bytebuffer Outptr_opt_result_bytebuffer
    Outptr_result_bytebuffer_maybenull Outptr_result_bytebuffer_to
    Ret_writes Ret_writes_z Ret_writes_bytes Ret_writes_maybenull Ret_writes_to Ret_range
    Success Return_type_success When At At_buffer On_failure Group Pre Post Satisfies Pre_satisfies Post_satisfies
    Field_size Field_size_opt Field_size_full Field_size_bytes Field_size_bytes_opt Field_size_part Field_range
    Struct_size_bytes Readable_bytes Readable_elements Writable_bytes Writable_elements Deref_in_range Deref_out_range
    Deref_ret_range Guarded_by Acquires_lock Releases_lock Requires_lock_held Requires_lock_not_held
    Acquires_exclusive_lock Acquires_shared_lock Releases_exclusive_lock Releases_shared_lock Analysis_assume
    Null_terminated_to Function_class IRQL_requires IRQL_requires_max IRQL_requires_min Kernel_entry
""".split()  # noqa: SIM905


def annotation_macros() -> dict[str, str]:
    """The annotations as macros without a body: name, with its parameters, to the empty string."""
    takes_none = {f"_{name}_": "" for name in _PLAIN if name not in _WITH_ARGUMENTS}
    return {**takes_none, **{f"_{name}_(...)": "" for name in _WITH_ARGUMENTS}}
