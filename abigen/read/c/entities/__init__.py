"""From declarations to the entities of an API, and the rules that they have to keep."""
