"""Plugins whose kernels compute something else, or whose kernels and ops cannot be registered."""

from __future__ import annotations

from tests.runner.verify.planting import START, Plant

_DIFFERS, _OUTSIDE, _FAILS, _SHAPE = (
    "kernel-result-differs", "kernel-writes-outside", "kernel-fails", "kernel-shape-differs",
)  # fmt: skip
_LEAVES = "kernel-leaves-tensors"
_REGISTRATION = "registration-without-effect"
_ADD, _MATMUL, _SUM, _OWN = (f"kernel Xpu{each}" for each in ("Add", "MatMul", "Sum", "Reciprocal"))
_LOOP = "  for (at = 0; at < count; ++at) {\n    z[at] = x"
_INVERTED = "    y[at] = 1.0F / x[at];"

KERNELS = [
    Plant("leaves-out-the-last", _DIFFERS, _ADD, "math.c", _LOOP, _LOOP.replace("at < count", "at + 1 < count")),
    Plant("leaves-out-what-is-odd", _DIFFERS, _ADD, "math.c", _LOOP, _LOOP.replace("< count", "< (count & ~1)")),
    Plant("stops-after-many", _DIFFERS, _SUM, "math.c", "  for (at = 0; at < count; ++at) {\n    z[place] += x[at];",
          "  for (at = 0; at < count && at < 16384; ++at) {\n    z[place] += x[at];"),
    Plant("does-not-begin-at-zero", _DIFFERS, _SUM, "math.c", "    z[at] = 0.0F;\n", ""),
    Plant("stretches-wrongly", _DIFFERS, _ADD, "math.c", "strides[at] = length == 1 ? 0 : stride;",
          "strides[at] = at == rank - 1 || length == 1 ? 0 : stride;"),
    Plant("rounds", _DIFFERS, _MATMUL, "math.c", "const float factor = x[", "const float factor = (float)(int)x["),
    Plant("own-op-goes-on-counting", _DIFFERS, _OWN, "op.c", _INVERTED,
          "    static float more; y[at] = 1.0F / x[at] + (more += 1);"),
    Plant("own-op-leaves-out-the-last", _DIFFERS, _OWN, "op.c", "for (at = 0; at < count; ++at) {",
          "for (at = 0; at + 1 < count; ++at) {"),
    Plant("writes-behind", _OUTSIDE, _ADD, "math.c", "  xpu_call_release(&job->call);\n}\n\n// The shape of the sum",
          "  z[count] = 0;\n  xpu_call_release(&job->call);\n}\n\n// The shape of the sum"),
    Plant("writes-before", _OUTSIDE, _MATMUL, "math.c", "    float* const out = z + row * job->columns;",
          "    float* const out = z + row * job->columns; z[-1] = 0;"),
    Plant("own-op-writes-behind", _OUTSIDE, _OWN, "op.c", "  return true;\n}\n\n// Whether this",
          "  y[count] = 1;\n  return true;\n}\n\n// Whether this"),
    Plant("writes-into-an-input", _OUTSIDE, _OWN, "op.c", _INVERTED, "    y[at] = ((float*)x)[at] = 1.0F / x[at];"),
    Plant("writes-into-an-input-of-the-host", _OUTSIDE, _SUM, "math.c",
          "    reduced[axis < 0 ? axis + rank : axis] = true;",
          "    reduced[axis < 0 ? axis + rank : axis] = true; ((char*)TF_TensorData(axes))[0] ^= 1;"),
    Plant("refuses-scalars", _FAILS, _ADD, "kernel.c", "TF_NumDims(*tensor) > XPU_MAX_RANK)",
          "TF_NumDims(*tensor) > XPU_MAX_RANK || TF_NumDims(*tensor) == 0)"),
    Plant("refuses-empty-arrays", _FAILS, _ADD, "kernel.c", "TF_NumDims(*tensor) > XPU_MAX_RANK)",
          "TF_TensorElementCount(*tensor) == 0)"),
    Plant("overlooks-an-attribute", _FAILS, _MATMUL, "math.c", "kernel->transpose[1] ? 1 : 0", "0"),
    Plant("asks-for-an-attribute-that-is-not-there", _FAILS, _SUM, "math.c", '(construction, "keep_dims"',
          '(construction, "keep_dimensions"'),
    Plant("takes-another-type", _FAILS, _ADD, "kernel.c", "TF_TensorType(*tensor) != TF_FLOAT",
          "TF_TensorType(*tensor) != TF_DOUBLE"),
    Plant("crashes-for-empty-arrays", "callback-crashes",
          "the compute function of kernel XpuReciprocal for XpuReciprocal", "kernel.c",
          "  if (TF_TensorType(*tensor) != TF_FLOAT) {",
          "  if (TF_TensorElementCount(*tensor) == 0) *(volatile char*)8 = 1;\n"
          "  if (TF_TensorType(*tensor) != TF_FLOAT) {", (_FAILS,)),
    Plant("overlooks-kept-dimensions", _SHAPE, _SUM, "math.c", "!reduced[at] || kernel->keep_dims", "!reduced[at]"),
    Plant("infers-a-scalar", _SHAPE, _OWN, "op.c", "SetOutput(context, 0, shape, status)",
          "SetOutput(context, 0, TF_ShapeInferenceContextScalar(context), status)"),
    Plant("leaves-outputs", _LEAVES, _ADD, "kernel.c", "    TF_DeleteTensor(call->output);\n", ""),
    Plant("kernel-of-no-op", _REGISTRATION, _ADD, "math.c", '{"AddV2", ', '{"AdddV2", '),
    Plant("kernel-of-no-device", _REGISTRATION, _ADD, "kernel.c", '(kernel->op, "XPU"', '(kernel->op, "XPV"'),
    Plant("constrains-no-attribute", _REGISTRATION, _ADD, "math.c", 'add, NULL, "T"', 'add, NULL, "U"'),
    Plant("constrains-to-a-type-that-is-none", _REGISTRATION, _MATMUL, "kernel.c", "kernel->type, TF_FLOAT",
          "kernel->type, TF_STRING"),
    Plant("host-memory-of-no-argument", _REGISTRATION, _SUM, "math.c", '"reduction_indices"', '"reduction_indexes"'),
    Plant("registers-kernels-twice", _REGISTRATION, _SUM, "math.c", "    xpu_register(&kernels[at]);",
          "    xpu_register(&kernels[at]);\n    xpu_register(&kernels[at]);"),
    Plant("op-of-no-type", _REGISTRATION, "registration of op XpuReciprocal", "op.c", '"x: float"', '"x: flaot"'),
    Plant("op-without-a-capital", _REGISTRATION, "registration of op xpuReciprocal", "op.c",
          'NewOpDefinitionBuilder("XpuReciprocal")', 'NewOpDefinitionBuilder("xpuReciprocal")'),
    Plant("leaves-shape-handles", _LEAVES, "op XpuReciprocal", "op.c", "  TF_DeleteShapeHandle(shape);\n", ""),
    Plant("leaves-dimension-handles", _LEAVES, "op XpuReciprocal", "op.c", "  TF_DeleteShapeHandle(shape);\n",
          "  TF_DeleteShapeHandle(shape); (void)TF_NewDimensionHandle();\n"),
    Plant("infers-nothing", _SHAPE, "op XpuReciprocal", "op.c",
          "    TF_ShapeInferenceContextSetOutput(context, 0, shape, status);\n", ""),
    Plant("leaks-at-create", _LEAVES, _MATMUL, "math.c", START + "matmul_create",
          "malloc(40);", (), ("-includestdlib.h", "-fno-builtin")),
    Plant("never-frees-its-state", _LEAVES, _SUM, "math.c", "sum_create, sum, free", "sum_create, sum, NULL"),
    Plant("opens-file-when-kernels-begin", "reload-fails", "TF_InitKernel", "kernel.c", START + "TF_InitKernel",
          'open("/dev/null", 0);', (), ("-includefcntl.h",)),
    Plant("fails-without-a-message", _FAILS, _ADD, "kernel.c", "TF_SetStatus(status, code, message);",
          'TF_SetStatus(status, code, "");'),
    Plant("fails-without-an-error", _FAILS, _ADD, "math.c", "    TF_OpKernelContext_Failure(context, status);\n", ""),
    Plant("fails-with-success", _FAILS, _MATMUL, "math.c", "    TF_OpKernelContext_Failure(context, status);\n",
          '    TF_SetStatus(status, TF_OK, ""); TF_OpKernelContext_Failure(context, status);\n'),
    Plant("own-op-says-nothing-of-zeros", _FAILS, _OWN, "op.c", "  if (TF_GetCode(status) != TF_OK) {\n",
          '  if (TF_GetCode(status) != TF_OK) {\n    TF_SetStatus(status, TF_INTERNAL, "");\n'),
    Plant("own-op-keeps-quiet-about-zeros", _FAILS, _OWN, "op.c",
          "    TF_OpKernelContext_Failure(context, status);\n", ""),
    Plant("creates-without-a-message", _FAILS, _MATMUL, "math.c", START + "matmul_create",
          "TF_Status* s = TF_NewStatus(); TF_SetStatus(s, TF_INTERNAL, \"\"); "
          "TF_OpKernelConstruction_Failure(construction, s); TF_DeleteStatus(s); return NULL;"),
]  # fmt: skip
