"""What the names of functions say that they do, as most C APIs name them."""

from __future__ import annotations

PAIRS = {"create": "destroy", "new": "delete", "make": "free", "open": "close", "acquire": "release", "init": "deinit"}
"""How functions that make something begin, and those that end it."""

ENDS = (
    "deallocate", "unregister", "shutdown", "finalize", "stop", "end", "release", "dispose", "terminate", "finish",
    "unload", "unref", "discard", "teardown", "destruct", "uninit", "quit", "exit", "cancel", "disconnect", "detach",
)  # fmt: skip
"""How other functions begin that end something."""

QUESTIONS = ("get", "is", "has", "query", "count", "list", "supports")
"""How functions begin that only ask."""

KEEPING = ("add", "attach", "install", "on", "register", "set", "subscribe", "watch")
"""Words in the names of functions that keep what they are given."""

ALLOCATES = frozenset({"alloc", "allocate", "malloc", "calloc"})
REALLOCATES = frozenset({"realloc", "reallocate"})
FREES = frozenset({"free", "release", "deallocate", "dealloc"})
"""Words in the names of functions that allocate, resize and free memory for others."""
