"""Readers: a C header, a spec, or either at a git revision becomes an `ApiSet`."""
