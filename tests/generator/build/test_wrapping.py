"""Declarations and macros on lines of at most 80 columns."""

from __future__ import annotations

from abigen.generator.c.lines import wrap_declaration, wrap_macro


def test_a_short_declaration_stays_on_its_line() -> None:
    assert wrap_declaration("void f(int a)") == "void f(int a);"


def test_parameters_align_with_the_first() -> None:
    text = "void (*memcpy_dtoh)(const SP_Device* device, SP_Stream stream, void* host_dst, TF_Status* status)"
    assert wrap_declaration(text, 2) == (
        "void (*memcpy_dtoh)(const SP_Device* device, SP_Stream stream, void* host_dst,\n"
        "                      TF_Status* status);"
    )


def test_parameters_stand_below_a_long_name() -> None:
    text = "EXPORT extern void TF_OpKernelConstruction_GetAttrString(TF_OpKernelConstruction* ctx, size_t max_length)"
    assert wrap_declaration(text) == (
        "EXPORT extern void TF_OpKernelConstruction_GetAttrString(\n"
        "    TF_OpKernelConstruction* ctx, size_t max_length);"
    )


def test_a_function_pointer_among_the_parameters_is_not_torn_apart() -> None:
    text = (
        "TF_KernelBuilder* TF_NewKernelBuilder(const char* op_name, void* (*create_func)(TF_OpKernelConstruction*), "
        "void (*compute_func)(void*, TF_OpKernelContext*))"
    )
    assert wrap_declaration(text) == (
        "TF_KernelBuilder* TF_NewKernelBuilder(\n"
        "    const char* op_name, void* (*create_func)(TF_OpKernelConstruction*),\n"
        "    void (*compute_func)(void*, TF_OpKernelContext*));"
    )


def test_a_parameter_that_is_too_long_is_broken_in_its_own_parameters() -> None:
    inner = ", ".join(f"struct some_rather_long_name* argument{index}" for index in range(4))
    lines = wrap_declaration(f"void f(void (*callback)({inner}), int last)").split("\n")
    assert max(map(len, lines)) <= 80
    assert lines[0] == "void f("
    assert lines[-1] == "    int last);"


def test_a_callback_that_comes_last_is_broken_in_its_own_parameters() -> None:
    callback = "void (*shape_inference_func)(TF_ShapeInferenceContext* ctx, TF_Status* status)"
    assert wrap_declaration(f"void TF_OpDefinitionBuilderSetShapeInferenceFunction({callback})") == (
        "void TF_OpDefinitionBuilderSetShapeInferenceFunction(\n"
        "    void (*shape_inference_func)(TF_ShapeInferenceContext* ctx,\n"
        "                                 TF_Status* status));"
    )


def test_a_long_name_stands_on_a_line_of_its_own() -> None:
    name = "x" * 60
    assert wrap_declaration(f"typedef struct {name} {name}") == f"typedef struct {name}\n    {name};"
    assert wrap_declaration(f"void {name}{name}(void)") == f"void {name}{name}(\n    void);"


def test_what_cannot_be_broken_stays_long() -> None:
    assert wrap_declaration("x" * 100) == "x" * 100 + ";"


def test_a_macro_continues_with_backslashes() -> None:
    text = wrap_macro("#define SP_STREAMEXECUTOR_STRUCT_SIZE", "TF_OFFSET_OF_END(SP_StreamExecutor, host_callback)")
    assert text == "#define SP_STREAMEXECUTOR_STRUCT_SIZE \\\n  TF_OFFSET_OF_END(SP_StreamExecutor, host_callback)"


def test_a_string_in_a_macro_is_not_broken() -> None:
    string = '"' + 'a \\" b ' * 20 + '"'
    assert string in wrap_macro("#define TEXT", f"prefix {string} suffix")


def test_a_macro_may_be_empty() -> None:
    assert wrap_macro("#define EXPORT", "") == "#define EXPORT"
