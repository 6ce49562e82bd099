"""`python -m caveat` is `caveat`."""

from caveat.cli import main

if __name__ == "__main__":
    main()
