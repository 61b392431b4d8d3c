"""From comments to documentation and to the marks of the contract."""
