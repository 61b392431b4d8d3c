"""The macros that each target's compiler predefines, as far as headers ask about them.

Where GCC and clang differ for a platform, the macros of both are here: headers are written for either. What follows
from the sizes of types is computed; what names a platform stands in tables. A word list such as
`__linux__ linux` means that each word is defined as 1; `NAME=body` gives another body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from abigen.model.target import Target

_X86_64 = "__x86_64__ __x86_64 __amd64__ __amd64 __SSE__ __SSE2__ __MMX__ __FXSR__ __SSE_MATH__ __SSE2_MATH__"
_I386 = "__i386__ __i386"
_AARCH64 = (
    "__aarch64__ __ARM_64BIT_STATE __ARM_ARCH=8 __ARM_ARCH_PROFILE='A' __ARM_ARCH_ISA_A64 __ARM_NEON __ARM_PCS_AAPCS64"
    " __ARM_SIZEOF_WCHAR_T=4 __ARM_SIZEOF_MINIMAL_ENUM=4"
)
_ARM = "__arm__ __arm __ARM_32BIT_STATE __ARM_SIZEOF_WCHAR_T=4 __ARM_SIZEOF_MINIMAL_ENUM=4 __ARMEL__"
_ARM_7 = f"{_ARM} __ARM_ARCH=7 __ARM_ARCH_7A__ __ARM_ARCH_PROFILE='A' __ARM_ARCH_ISA_ARM __ARM_ARCH_ISA_THUMB=2"
_RISCV = "__riscv __riscv_atomic __riscv_mul __riscv_div __riscv_muldiv __riscv_compressed"
_POWER = "__powerpc__ __powerpc __PPC__ __PPC _ARCH_PPC"
_POWER_64 = f"{_POWER} __powerpc64__ __PPC64__ _ARCH_PPC64"
_SPARC = "__sparc__ __sparc"
_MIPS = "__mips__ _mips __mips_hard_float"
_MIPS_BIG = f"{_MIPS} __MIPSEB__ __MIPSEB _MIPSEB"
_MIPS_LITTLE = f"{_MIPS} __MIPSEL__ __MIPSEL _MIPSEL"
_MIPS_64 = (
    "__mips=64 __mips64 __mips64__ __mips_n64 _ABI64=3 _MIPS_SIM=_ABI64 _MIPS_SZLONG=64 _MIPS_SZPTR=64 _MIPS_SZINT=32"
)
_MIPS_32 = "__mips=32 __mips_o32 _ABIO32=1 _MIPS_SIM=_ABIO32 _MIPS_SZLONG=32 _MIPS_SZPTR=32 _MIPS_SZINT=32"
_WASM = "__wasm__ __wasm"

_ARCHITECTURES: Final[dict[str, str]] = {
    "x86_64": _X86_64,
    "x32": _X86_64,
    "i686": f"{_I386} __i686__ __i686",
    "aarch64": _AARCH64,
    "arm": _ARM_7,
    "riscv64": f"{_RISCV} __riscv_xlen=64 __riscv_flen=64 __riscv_float_abi_double",
    "riscv32": f"{_RISCV} __riscv_xlen=32",
    "s390x": "__s390__ __s390x__ __zarch__",
    "s390": "__s390__",
    "powerpc64le": f"{_POWER_64} _CALL_ELF=2 _LITTLE_ENDIAN",
    "powerpc64": f"{_POWER_64} _CALL_ELF=1 _BIG_ENDIAN",
    "powerpc": f"{_POWER} _BIG_ENDIAN",
    "sparc64": f"{_SPARC} __sparc_v9__ __arch64__",
    "sparc": _SPARC,
    "mips64": f"{_MIPS_BIG} {_MIPS_64}",
    "mips64el": f"{_MIPS_LITTLE} {_MIPS_64}",
    "mipsn32": f"{_MIPS_BIG} __mips=64 __mips64 __mips64__ __mips_n32 _ABIN32=2 _MIPS_SIM=_ABIN32 _MIPS_SZLONG=32"
    " _MIPS_SZPTR=32 _MIPS_SZINT=32",
    "mips": f"{_MIPS_BIG} {_MIPS_32}",
    "mipsel": f"{_MIPS_LITTLE} {_MIPS_32}",
    "m68k": "__m68k__ __mc68000__ __mc68000",
    "avr": "__AVR__ __AVR",
    "msp430": "__MSP430__",
    "wasm32": f"{_WASM} __wasm32__ __wasm32",
    "wasm64": f"{_WASM} __wasm64__ __wasm64",
    "hexagon": "__hexagon__ __HEXAGON_ARCH__=60",
    "bpfel": "__bpf__ __BPF__",
    "nvptx64": "__NVPTX__ __PTX__",
}
_MICROSOFT_ARCHITECTURES: Final[dict[str, str]] = {
    "x86_64": "_M_X64=100 _M_AMD64=100",
    "i686": "_M_IX86=600 _M_IX86_FP=2",
    "aarch64": "_M_ARM64",
}
_MINGW_I386 = "_X86_"

_UNIX = "__unix__ __unix"
_LINUX = f"__linux__ __linux {_UNIX} __ELF__"
_APPLE = "__APPLE__ __MACH__ __APPLE_CC__=6000 __DYNAMIC__ __BLOCKS__"
_SYSTEMS: Final[dict[str, str]] = {
    "linux": f"{_LINUX} __gnu_linux__ linux unix",
    "android": f"{_LINUX} __ANDROID__ linux unix",
    "darwin": f"{_APPLE} __ENVIRONMENT_MAC_OS_X_VERSION_MIN_REQUIRED__=110000",
    "ios": f"{_APPLE} __ENVIRONMENT_IPHONE_OS_VERSION_MIN_REQUIRED__=50000",
    "watchos": f"{_APPLE} __ENVIRONMENT_WATCH_OS_VERSION_MIN_REQUIRED__=20000",
    "windows-msvc": "_WIN32",
    "windows-gnu": "_WIN32 __WIN32__ __WIN32 WIN32 __WINNT__ __WINNT WINNT __MINGW32__ __MSVCRT__",
    "freebsd": f"__FreeBSD__=13 {_UNIX} __ELF__ unix",
    "wasi": "__wasi__",
    "emscripten": f"__EMSCRIPTEN__ {_UNIX} unix",
    "none": "",
}
_WINDOWS_64: Final[dict[str, str]] = {
    "windows-msvc": "_WIN64",
    "windows-gnu": "_WIN64 __WIN64__ __WIN64 WIN64 __MINGW64__ __SEH__",
}

# The versions are those of compilers in wide use; headers only ask whether they are recent enough.
_COMPILERS: Final[dict[str, str]] = {
    "gcc": "__GNUC__=12 __GNUC_MINOR__=2 __GNUC_PATCHLEVEL__=0 __GNUC_STDC_INLINE__ __GXX_ABI_VERSION=1017",
    "clang": (
        "__clang__ __llvm__ __clang_major__=16 __clang_minor__=0 __clang_patchlevel__=0"
        " __GNUC__=4 __GNUC_MINOR__=2 __GNUC_PATCHLEVEL__=1 __GNUC_STDC_INLINE__ __GXX_ABI_VERSION=1002"
    ),
    "msvc": (
        "_MSC_VER=1939 _MSC_FULL_VER=193933523 _MSC_BUILD=0 _MSC_EXTENSIONS _INTEGRAL_MAX_BITS=64"
        " _MSVC_EXECUTION_CHARACTER_SET=65001"
    ),
}
_COMMON = (
    "__STDC__ __STDC_HOSTED__ __STDC_UTF_16__ __STDC_UTF_32__ __CHAR_BIT__=8 __NO_INLINE__ __FINITE_MATH_ONLY__=0"
    " __ORDER_LITTLE_ENDIAN__=1234 __ORDER_BIG_ENDIAN__=4321 __ORDER_PDP_ENDIAN__=3412"
    " __ATOMIC_RELAXED=0 __ATOMIC_CONSUME=1 __ATOMIC_ACQUIRE=2 __ATOMIC_RELEASE=3 __ATOMIC_ACQ_REL=4 __ATOMIC_SEQ_CST=5"
    " __FLT_RADIX__=2 __FLT_MANT_DIG__=24"
)
_HARD_FLOAT = {"armv7-linux-gnueabihf": "__ARM_PCS_VFP __ARM_PCS __ARM_EABI__ __VFP_FP__"}
_SOFT_FLOAT = {
    "arm-linux-gnueabi": "__ARM_PCS __ARM_EABI__ __SOFTFP__",
    "arm-none-eabi": "__ARM_PCS __ARM_EABI__ __SOFTFP__",
}

_SPELLINGS: Final[dict[str, str]] = {
    "short": "short int",
    "unsigned short": "short unsigned int",
    "long": "long int",
    "unsigned long": "long unsigned int",
    "long long": "long long int",
    "unsigned long long": "long long unsigned int",
}
_SUFFIXES: Final[dict[str, str]] = {
    "unsigned int": "U",
    "long": "L",
    "unsigned long": "UL",
    "long long": "LL",
    "unsigned long long": "ULL",
}
_SIZES: Final[dict[str, str]] = {
    "SHORT": "short",
    "INT": "int",
    "LONG": "long",
    "LONG_LONG": "long long",
    "INT128": "__int128",
    "FLOAT": "float",
    "DOUBLE": "double",
    "LONG_DOUBLE": "long double",
    "FLOAT128": "__float128",
}
_LIMITS: Final[dict[str, str]] = {
    "SCHAR": "signed char",
    "SHRT": "short",
    "INT": "int",
    "LONG": "long",
    "LONG_LONG": "long long",
}


def predefined_macros(target: Target) -> Mapping[str, str]:
    """The macros that are defined before a header's first line.

    Args:
        target: whose compiler reads.

    Returns:
        Name to body. The few function-like ones have their parameters in the name (`__INT64_C(c)`). Version macros of
        the C standard are missing: they follow from the standard that the user chooses.
    """
    macros: dict[str, str] = {}
    for words in (
        _COMMON,
        _COMPILERS[target.compiler],
        _ARCHITECTURES[target.architecture],
        _SYSTEMS[target.system],
        _HARD_FLOAT.get(target.name, ""),
        _SOFT_FLOAT.get(target.name, ""),
    ):
        _define(macros, words)
    if target.system.startswith("windows"):
        if target.pointer[0] == 8:
            _define(macros, _WINDOWS_64[target.system])
        if target.compiler == "msvc":
            _define(macros, _MICROSOFT_ARCHITECTURES[target.architecture])
        elif target.architecture == "i686":
            _define(macros, _MINGW_I386)
    if target.architecture == "aarch64":
        _define(macros, "__AARCH64EB__" if target.endianness == "big" else "__AARCH64EL__")
        if target.system == "darwin":
            _define(macros, "__arm64__ __arm64")
    if target.compiler == "msvc":
        # MSVC promises a conforming language only on request.
        del macros["__STDC__"]
    if target.enum_rule == "short" and target.architecture == "arm":
        macros["__ARM_SIZEOF_MINIMAL_ENUM"] = "1"
    if target.system in ("darwin", "ios", "watchos") or (
        target.system.startswith("windows") and target.architecture == "i686"
    ):
        macros["__USER_LABEL_PREFIX__"] = "_"
    else:
        macros["__USER_LABEL_PREFIX__"] = ""
    _define_model(macros, target)
    _define_types(macros, target)
    return macros


def _define(macros: dict[str, str], words: str) -> None:
    for word in words.split():
        name, _, body = word.partition("=")
        macros[name] = body or "1"


def _define_model(macros: dict[str, str], target: Target) -> None:
    """What follows from the data model, the byte order and the signedness of char."""
    if target.data_model == "LP64":
        _define(macros, "__LP64__ _LP64")
    elif target.data_model == "ILP32":
        _define(macros, "__ILP32__ _ILP32")
    order = "LITTLE" if target.endianness == "little" else "BIG"
    macros["__BYTE_ORDER__"] = macros["__FLOAT_WORD_ORDER__"] = f"__ORDER_{order}_ENDIAN__"
    macros[f"__{order}_ENDIAN__"] = "1"
    if not target.char_signed:
        macros["__CHAR_UNSIGNED__"] = "1"
    if not target.wchar_signed:
        macros["__WCHAR_UNSIGNED__"] = "1"
    macros["__BIGGEST_ALIGNMENT__"] = str(target.suitable_alignment)
    for name, type in _SIZES.items():
        if type in target.types:
            macros[f"__SIZEOF_{name}__"] = str(target.types[type][0])
    macros["__SIZEOF_POINTER__"] = str(target.pointer[0])
    for name, type in _LIMITS.items():
        macros[f"__{name}_MAX__"] = _maximum(target, type)
        macros[f"__{'LLONG' if name == 'LONG_LONG' else name}_WIDTH__"] = str(target.width_of(type))
    double = {8: "53", 4: "24"}[target.types["double"][0]]
    macros["__DBL_MANT_DIG__"] = double
    macros["__LDBL_MANT_DIG__"] = _long_double_precision(target, double)


def _long_double_precision(target: Target, double: str) -> str:
    """Bits of the significand of long double: x87's 64, IEEE quadruple's 113, IBM's pair of doubles, or double's."""
    if target.types["long double"][0] <= 8:
        return double
    if target.architecture in ("x86_64", "x32", "i686", "m68k"):
        return "64"
    return "106" if target.architecture.startswith("powerpc") else "113"


def _define_types(macros: dict[str, str], target: Target) -> None:
    """What follows from the standard library's names: `__SIZE_TYPE__`, `__INT64_MAX__`, ..."""
    for name, type in target.typedefs.items():
        if name == "ssize_t":
            continue
        stem = name.removesuffix("_t").upper()
        width = str(target.width_of(type))
        macros[f"__{stem}_TYPE__"] = _SPELLINGS.get(type, type)
        if name.startswith("char"):
            continue
        macros[f"__{stem}_MAX__"] = _maximum(target, type)
        if name in ("size_t", "ptrdiff_t", "wchar_t", "wint_t"):
            macros[f"__SIZEOF_{stem}_T__"] = str(target.types[type][0])
            macros[f"__{stem}_WIDTH__"] = width
        elif "int_" in name or name in ("intmax_t", "intptr_t"):
            macros[f"__{stem}_WIDTH__"] = width
        if name.removeprefix("u")[:4] in ("int8", "int1", "int3", "int6", "intm"):
            suffix = _SUFFIXES.get(type, "")
            if target.compiler == "gcc":
                macros[f"__{stem}_C(c)"] = f"c ## {suffix}" if suffix else "c"
            else:
                macros[f"__{stem}_C_SUFFIX__"] = suffix
    macros["__WINT_MIN__"] = f"(-{macros['__WINT_MAX__']} - 1)" if target.is_signed(target.typedefs["wint_t"]) else "0U"
    macros["__WCHAR_MIN__"] = f"(-{macros['__WCHAR_MAX__']} - 1)" if target.wchar_signed else "0U"
    macros["__SIG_ATOMIC_TYPE__"] = "int"
    macros["__SIG_ATOMIC_MAX__"] = _maximum(target, "int")


def _maximum(target: Target, type: str) -> str:
    width = target.width_of(type) - target.is_signed(type)
    return f"{(1 << width) - 1}{_SUFFIXES.get(type, '')}"
