"""The first minute: a real language model on this machine calls a tool and uses what it gives.

    python examples/demo.py [--plain] [--recorded]

The model (93 MB) is fetched the first time. Where that cannot be done, recorded replies are shown
instead.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import recorded
import small_model
from screen import Screen

from toolproto import ToolProtoError, UsageError
from toolproto.endpoints import find_model, pull


def main() -> int:
    """Show the model at work; 1 if it did not use the tool."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--plain", action="store_true", help="no colours")
    options.add_argument("--recorded", action="store_true", help="recorded replies, no model")
    chosen = options.parse_args()
    screen = Screen(chosen.plain)
    if chosen.recorded or not has_model():
        recorded.main(screen)
    elif not small_model.main(screen):
        print("\nThe model did not use the tool this time. That is how it went; nothing is staged.")
        return 1
    try_next(screen)
    return 0


def has_model() -> bool:
    """Find the model, or fetch it; if neither can be done, say how it can be had."""
    try:
        find_model()
    except UsageError:
        print("fetching the model (93 MB)", file=sys.stderr)
    try:
        pull("smollm2")  # fetches nothing if it is here and whole
        return True
    except ToolProtoError as error:
        print(f"\nNo model: {error}", file=sys.stderr)
        print("Recorded replies are shown instead. To see a model at work, once you are online:")
        print(f"    {program()} model pull smollm2")
        return False


def program() -> str:
    """The command ``toolproto`` of this Python, as it can be typed here."""
    beside = Path(sys.executable).with_name("toolproto")
    if not beside.exists():
        return "toolproto"
    here = Path.cwd()
    return str(beside.relative_to(here) if beside.is_relative_to(here) else beside)


def try_next(screen: Screen) -> None:
    """Four things to do after this."""
    screen.heading("Next")
    print(f"  {program()} chat --local     talk with this model yourself, with tools to play with")
    print("  examples/small_model.py              what you have seen, in a page of code")
    print("  README.md                            the same with a model of your own")
    print(
        f"  {program()} web              a page in your browser, where you run the calls yourself"
    )


if __name__ == "__main__":
    sys.exit(main())
