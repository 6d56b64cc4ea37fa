from sources import features, objects, rows, tables  # noqa: F401  (fixtures)
