"""Reading a header again after an edit: structs that have not changed keep the members that they had."""
