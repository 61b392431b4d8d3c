"""Random programs for a preprocessor: definitions, invocations and conditionals that get in each other's way."""

from __future__ import annotations

from random import Random

_NAMES = ("A", "B", "C", "F", "G", "H", "V", "x", "y")
_DEFINED = _NAMES[:7]
_VALUES = ("1", "0x10", "-1", "2u", "(3-4)*5", "1<<3", "7%4", "~0u>>60", "'a'", "-1<0u", "1?2:3", "!x")


def program(seed: int) -> str:
    """Return a program; the same for the same seed. Some are wrong, and compilers refuse them."""
    random = Random(seed)
    lines = []
    if random.random() < 0.4:
        lines.append("#define E(f, ...) p(f, ##__VA_ARGS__)\n#define H(f, a...) [f , ## a] a ## f")
    for number in range(random.randint(2, 9)):
        kind = random.random()
        if kind < 0.6:
            lines.append(_definition(random))
        elif kind < 0.7:
            lines.append(f"#undef {random.choice(_NAMES)}")
        elif kind < 0.8:
            operator = random.choice(("&&", "||"))
            condition = (
                f"defined({random.choice(_NAMES)}) {operator} {random.choice(_VALUES)} > {random.randint(-2, 5)}"
            )
            lines.append(f"#if {condition}\nint then{number};\n#else\nint otherwise{number};\n#endif")
        else:
            lines.append(" ".join(_use(random) for _ in range(random.randint(1, 4))) + " ;")
    return "\n".join(lines) + "\n"


def _definition(random: Random) -> str:
    name = random.choice(_DEFINED)
    kind = random.random()
    if kind < 0.4:
        return f"#undef {name}\n#define {name} {_body(random, [])}"
    parameters = ["p", "q", "r"][: random.randint(0, 3)]
    if kind < 0.8:
        return f"#undef {name}\n#define {name}({', '.join(parameters)}) {_body(random, parameters)}"
    body = _body(random, [*parameters, "__VA_ARGS__"])
    return f"#undef {name}\n#define {name}({', '.join([*parameters, '...'])}) {body}"


def _body(random: Random, parameters: list[str]) -> str:
    parts: list[str] = []
    for _ in range(random.randint(0, 7)):
        kind = random.random()
        if kind < 0.3:
            parts.append(random.choice(_NAMES))
        elif kind < 0.5 and parameters:
            parts.append(random.choice(parameters))
        elif kind < 0.58 and parameters:
            parts.append("#" + random.choice(parameters))
        elif kind < 0.66 and parts and parameters:
            parts.append("## " + random.choice([each for each in parameters if each != "__VA_ARGS__"] + ["A", "x1"]))
        elif kind < 0.74 and "__VA_ARGS__" in parameters:
            parts.append(f"__VA_OPT__({random.choice(('x', 'A y', ', __VA_ARGS__'))})")
        elif kind < 0.8:
            parts.append(random.choice(("1", "0x2u", "'c'", '"s t"', '"q\\"e"', "1.5e+3", ".5")))
        elif kind < 0.95:
            parts.append(random.choice(("+", "(", ")", "*", ",", "-", "<", "()", "(x)", "(A,B)")))
        else:
            parts.append("/* comment */")
    return " ".join(parts)


def _use(random: Random) -> str:
    ending = random.randrange(5)
    if ending < 2:
        arguments = ("", " ")[ending]
    elif ending == 2:
        arguments = f"({_arguments(random, 0)})"
    elif ending == 3:
        arguments = f"({_arguments(random, 0)}) ({_arguments(random, 0)})"
    else:
        arguments = f"\n({_arguments(random, 0)})"
    return random.choice((*_NAMES, "E")) + arguments


def _arguments(random: Random, depth: int) -> str:
    arguments = []
    for _ in range(random.randint(0, 3)):
        kind = random.random()
        if kind < 0.1:
            arguments.append("")
        elif kind < 0.4:
            arguments.append(random.choice(_NAMES))
        elif kind < 0.6 and depth < 3:
            arguments.append(f"{random.choice(_NAMES)}({_arguments(random, depth + 1)})")
        elif kind < 0.7:
            arguments.append("(a, b)")
        else:
            arguments.append(random.choice(("1", "x y", '"s,t"', "'('", "a\n b", "/* , */")))
    return ", ".join(arguments)
