"""A plugin for pytest: let nbval see that a cell ends in a semicolon.

A trailing semicolon hides the value of a cell's last line. IPython looks for it in the
history of what was run, and nbval asks the kernel to keep none, so every such cell
would seem to show more than is stored. Load it with `-p tools.nbval_semicolons`.
"""

from nbval.kernel import RunningKernel


def execute_cell_input(self, cell_input: str, allow_stdin: bool | None = None) -> str:
    """Send a cell to the kernel, to be kept in its history; return the id."""
    return self.kc.execute(
        cell_input,
        silent=False,
        store_history=True,
        allow_stdin=allow_stdin,
        stop_on_error=False,
    )


RunningKernel.execute_cell_input = execute_cell_input
