"""Rules about changes and about single APIs, and the engine that runs them."""
