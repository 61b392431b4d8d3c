"""A spec for an API that has a header and no spec yet."""
