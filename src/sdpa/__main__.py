"""The command `sdpa`; what it needs beyond NumPy is the extra `grade`."""

import sys


def main():
    """Run the command line, or say what is missing for it."""
    try:
        from .cli import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(f"{error.name} is not installed: pip install 'sdpa[grade]'")
    app(prog_name="sdpa")


if __name__ == "__main__":
    main()
