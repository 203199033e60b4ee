"""Settings for every test run, whichever folder it starts from."""

from __future__ import annotations

import os

from kernel_environment import kernel_environment

# The kernels that nbval starts inherit these, so that the stored outputs of the notebooks are
# compared under the conditions under which tools/run_notebooks.py made them.
os.environ.update(kernel_environment())
