"""Builds the entities of an API from declarations, and checks the rules that declarations must follow."""
