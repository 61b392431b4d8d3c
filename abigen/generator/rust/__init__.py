"""Target `rust`: an API as a module of Rust."""
