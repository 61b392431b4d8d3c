"""abigen inside of other programs: git, pre-commit, GitHub, CMake, Python."""
