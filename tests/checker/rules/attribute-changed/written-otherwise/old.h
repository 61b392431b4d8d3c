#pragma once
__attribute__((nonnull(1), malloc)) char *f(char *p);
