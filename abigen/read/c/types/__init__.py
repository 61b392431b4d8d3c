"""From trees to the model's types and constant expressions."""
