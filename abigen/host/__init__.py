"""The core's side of a contract: loads plugins, shakes hands with them, and tries them out."""
