"""``python -m pyphys2d``: the command line."""

import sys

from pyphys2d.cli import main

if __name__ == "__main__":
    sys.exit(main())
