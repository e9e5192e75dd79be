"""`python -m aieloom` is `aieloom`."""

import sys

from aieloom.cli import main

if __name__ == "__main__":
    sys.exit(main())
