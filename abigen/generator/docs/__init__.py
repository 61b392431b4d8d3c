"""Reference documentation of an API: views of its entities, and pages made of them."""
