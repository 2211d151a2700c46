"""The machinery of the book: what builds, runs and checks it."""
