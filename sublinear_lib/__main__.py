"""Run the command ``sublinear`` as ``python -m sublinear_lib``.

It is the same command, for environments in which the script itself is not on the path.
"""

from __future__ import annotations

from sublinear_lib.cli import main

if __name__ == "__main__":
    main(prog_name="python -m sublinear_lib")
