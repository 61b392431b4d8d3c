"""Files from specs, and specs from headers.

- `build` runs the targets: `c`, `c_checks`, `cpp`, `python`, `rust`. Each has a view, which translates the model to
  the words of its language, and templates, which see views only;
- `docs`: the reference documentation (`abigen docs`); `new`: the skeleton of a plugin (`abigen new`);
- `importing` and `imported`: the spec of a header (`abigen import`);
- `project`: the specs and templates of a project.

It runs no binary but compilers, and does not know who asks for the files.
"""
