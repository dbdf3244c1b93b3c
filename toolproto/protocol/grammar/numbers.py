"""Numbers between two bounds, digit by digit.

Canonical spellings only, as JSON is written: no leading zeros, no plus, and as many digits as a
number can have without becoming infinite or costing more to read than it is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from .ir import EMPTY, NOTHING, Chars, Node, chars, either, joined, maybe, text, times

__all__ = ["DIGITS", "Bounds", "integers", "numbers"]

#: The most digits before a point. Ids have twenty; a model that counts in its sleep must stop.
DIGITS = 24
# The most digits behind a point: 17 tell one float from the next, and four zeros may lead them.
_FRACTION = 21
_DIGIT = Chars(((48, 57),))
_MORE = times(_DIGIT, 0, _FRACTION - 1)
_ANY_FRACTION = maybe(joined(text("."), times(_DIGIT, 1, _FRACTION)))


@dataclass(frozen=True, slots=True)
class Bounds:
    """Numbers from *least* to *most*, either of which may be missing, or not belong to them."""

    least: Decimal | None = None
    most: Decimal | None = None
    above: bool = False  # more than least
    below: bool = False  # less than most

    @property
    def is_open(self) -> bool:
        """Whether every number is between them."""
        return self.least is None and self.most is None

    def mirrored(self) -> Bounds:
        """The same on the other side of zero."""
        least = None if self.most is None else -self.most
        most = None if self.least is None else -self.least
        return Bounds(least, most, self.below, self.above)

    def from_zero(self) -> Bounds | None:
        """Those that are not negative; None if there are none."""
        if self.most is not None and (self.most < 0 or (self.most == 0 and self.below)):
            return None
        if self.least is None or self.least < 0:
            return Bounds(Decimal(0), self.most, False, self.below)
        return self


@lru_cache(maxsize=256)
def integers(bounds: Bounds) -> Node:
    """The whole numbers between *bounds*."""
    positive, negative = bounds.from_zero(), bounds.mirrored().from_zero()
    options = []
    if positive:
        options.append(_whole(*_whole_bounds(positive)))
    if negative:
        least, most = _whole_bounds(negative)
        options.append(joined(text("-"), _whole(max(least, 1), most)))
    return either(option for option in options if option is not NOTHING)


@lru_cache(maxsize=256)
def numbers(bounds: Bounds) -> Node:
    """The numbers between *bounds*, with a fraction or an exponent where they may have one."""
    positive, negative = bounds.from_zero(), bounds.mirrored().from_zero()
    options = [_decimals(positive)] if positive else []
    if negative:
        options.append(joined(text("-"), _decimals(negative)))
    return either(option for option in options if option is not NOTHING)


def _whole_bounds(bounds: Bounds) -> tuple[int, int | None]:
    assert bounds.least is not None, "from zero on"
    least = int(bounds.least)
    if bounds.least > least or (bounds.least == least and bounds.above):
        least += 1
    if bounds.most is None or bounds.most >= 10**DIGITS:
        return least, None
    most = int(bounds.most)
    return least, most - 1 if bounds.most == most and bounds.below else most


def _whole(least: int, most: int | None) -> Node:
    """Whole numbers from *least* on, which is not negative."""
    most = 10**DIGITS - 1 if most is None else most
    options: list[Node] = []
    full: list[int] = []  # the numbers of digits of which all numbers fit
    for count in range(len(str(least)), len(str(max(most, 0))) + 1):
        smallest, largest = 10 ** (count - 1) if count > 1 else 0, 10**count - 1
        if count > 1 and least <= smallest and largest <= most:
            full.append(count - 1)
        elif max(least, smallest) <= min(most, largest):
            options.append(_between(str(max(least, smallest)), str(min(most, largest))))
    if full:
        options.append(joined(_digits("1", "9"), times(_DIGIT, full[0], full[-1])))
    return either(options)


def _between(first: str, last: str) -> Node:
    """As many digits as both have, from *first* to *last*."""
    shared = 0
    while shared < len(first) and first[shared] == last[shared]:
        shared += 1
    if shared == len(first):
        return text(first)
    head, low, high = first[:shared], first[shared], last[shared]
    rest = len(first) - shared - 1
    if set(first[shared + 1 :]) <= {"0"} and set(last[shared + 1 :]) <= {"9"}:
        return joined(text(head), _digits(low, high), times(_DIGIT, rest, rest))
    options = [
        joined(text(low), _from(first[shared + 1 :])),
        joined(_digits(_next(low), _before(high)), times(_DIGIT, rest, rest)),
        joined(text(high), _up_to(last[shared + 1 :])),
    ]
    return joined(text(head), either(option for option in options if option is not NOTHING))


def _from(digits: str) -> Node:
    """As many digits, and not less."""
    return _between(digits, "9" * len(digits)) if digits else EMPTY


def _up_to(digits: str) -> Node:
    """As many digits, and not more."""
    return _between("0" * len(digits), digits) if digits else EMPTY


def _digits(first: str, last: str) -> Node:
    return chars(((ord(first), ord(last)),)) if first <= last else NOTHING


def _next(digit: str) -> str:
    return chr(ord(digit) + 1)


def _before(digit: str) -> str:
    return chr(ord(digit) - 1)


# -- with a fraction ------------------------------------------------------------------------


def _decimals(bounds: Bounds) -> Node:
    """Numbers that are not negative."""
    assert bounds.least is not None, "from zero on"
    first, low = _split(bounds.least)
    options = [*_with_exponent(bounds)]
    if bounds.most is None or bounds.most >= 10**DIGITS:
        options += [
            joined(_whole(first + 1, None), _ANY_FRACTION),
            joined(_whole(first, first), _fraction_from(low, bounds.above)),
        ]
        return either(options)
    last, high = _split(bounds.most)
    if first == last:
        return joined(_whole(first, first), _fraction_between(low, high, bounds))
    options += [
        joined(_whole(first, first), _fraction_from(low, bounds.above)),
        joined(_whole(first + 1, last - 1), _ANY_FRACTION) if last - first > 1 else NOTHING,
        joined(_whole(last, last), _fraction_to(high, bounds.below)),
    ]
    return either(option for option in options if option is not NOTHING)


def _split(number: Decimal) -> tuple[int, str]:
    whole = int(number)
    fraction = f"{number - whole:f}".partition(".")[2].rstrip("0")
    return whole, fraction[:_FRACTION]


def _with_exponent(bounds: Bounds) -> list[Node]:
    """What is written with an exponent because it is very small or very large."""
    assert bounds.least is not None
    mantissa = joined(_digits("1", "9"), _ANY_FRACTION)
    options = []
    if bounds.least == 0 and (bounds.most is None or bounds.most >= Decimal("0.0001")):
        # 1e-05 is the first that Python writes so.
        small = either([joined(text("0"), _digits("5", "9")), _whole(10, 299)])
        options.append(joined(mantissa, text("e-"), small))
    if bounds.most is None and bounds.least <= 10**16:
        options.append(joined(mantissa, text("e+"), _whole(16, 307)))
    return options


def _fraction_from(digits: str, above: bool) -> Node:
    """A fraction of *digits* or more; more, if it is to be *above*."""
    if not digits:
        return joined(text("."), _above_zero()) if above else _ANY_FRACTION
    return joined(text("."), _more(digits, above))


def _above_zero() -> Node:
    return joined(times(text("0"), 0, 4), _digits("1", "9"), times(_DIGIT, 0, 16))


def _more(digits: str, above: bool) -> Node:
    if not digits:
        return _above_zero() if above else _MORE
    same = joined(text(digits[0]), _more(digits[1:], above))
    larger = _digits(_next(digits[0]), "9") if digits[0] < "9" else NOTHING
    return either(each for each in (same, joined(larger, _MORE)) if each is not NOTHING)


def _fraction_to(digits: str, below: bool) -> Node:
    """A fraction of *digits* or less; less, if it is to be *below*."""
    if not digits:
        return NOTHING if below else maybe(joined(text("."), times(text("0"), 1, _FRACTION)))
    return maybe(joined(text("."), _less(digits, below, begun=False)))


def _less(digits: str, below: bool, begun: bool = True) -> Node:
    if not digits:
        return NOTHING if below else times(text("0"), 0, _FRACTION)
    smaller = _digits("0", _before(digits[0])) if digits[0] > "0" else NOTHING
    options = [
        EMPTY if begun else NOTHING,
        joined(smaller, _MORE),
        joined(text(digits[0]), _less(digits[1:], below)),
    ]
    return either(option for option in options if option is not NOTHING)


def _fraction_between(low: str, high: str, bounds: Bounds) -> Node:
    """A fraction from *low* to *high*, behind the same whole number."""
    if not low and not bounds.above:
        return _fraction_to(high, bounds.below)
    if low == high:
        return NOTHING if bounds.above or bounds.below else text(f".{low}" if low else "")
    width = max(len(low), len(high), 1)
    return joined(text("."), _span(low.ljust(width, "0"), high.ljust(width, "0"), bounds))


def _span(low: str, high: str, bounds: Bounds) -> Node:
    """Digits from *low* to *high*, of the same length; more digits may follow."""
    if low[0] == high[0]:
        return joined(text(low[0]), _span(low[1:], high[1:], bounds)) if low[1:] else text(low)
    middle = _digits(_next(low[0]), _before(high[0]))
    options = [
        joined(text(low[0]), _more(low[1:].rstrip("0"), bounds.above)),
        joined(middle, _MORE),
        joined(text(high[0]), _less(high[1:].rstrip("0"), bounds.below)),
    ]
    return either(option for option in options if option is not NOTHING)
