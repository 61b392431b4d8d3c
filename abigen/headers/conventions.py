"""The conventions of an API that states none: those of TensorFlow's C API, for which abigen began."""

from __future__ import annotations

from abigen.model.api import Conventions

USUAL_CONVENTIONS = Conventions(filled_by={"SE_": "core", "SP_": "plugin"})
"""By prefix, the side that fills a struct (TensorFlow, "C API versioning strategy"); a configuration states others."""
