"""``python -m toolproto``: the command line, for when the script is not on the path."""

from .cli import run

if __name__ == "__main__":
    run()
