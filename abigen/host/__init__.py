"""The core's side of a contract: loads plugins, initializes them, and tests them."""
