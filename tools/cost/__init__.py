"""The costs of a kernel without its hardware: see __main__.py."""
