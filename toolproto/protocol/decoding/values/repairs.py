"""JSON as it should be written, and as models write it: each departure, and how sure its repair is.

*Lossless* means that the text allows no other value. Where two readings are possible the
repair is *guessed*, however likely ours is; where the text ends too early, or a value was
never written, it is *truncated*, and what is missing is left out.
"""

from __future__ import annotations

from ...messages import Grade, Repair

# Another spelling of the same value.
BARE_KEY = Repair("bare_key")
COMMENT = Repair("comment")
CONTROL_CHARACTER = Repair("control_character")
DUPLICATE_KEY = Repair("duplicate_key")  # a member written twice with the same value
ESCAPED_APOSTROPHE = Repair("escaped_apostrophe")
ESCAPED_JSON = Repair("escaped_json")  # {\"a\": 1}: a whole object written as if quoted
LITERAL = Repair("literal")  # True, None, TRUE
NUMBER_FORM = Repair("number_form")  # +1, .5, 1_000, 0xff
ODD_SPACE = Repair("odd_space")
PARENTHESES = Repair("parentheses")  # (1), which Python reads as 1
QUOTE_STYLE = Repair("quote_style")  # 'a', “a”, `a`
TRAILING_COMMA = Repair("trailing_comma")
TRIPLE_QUOTED = Repair("triple_quoted")
TUPLE = Repair("tuple")

# The likeliest of several readings.
BARE_STRING = Repair("bare_string", Grade.GUESSED)
ESCAPED_UNDERSCORE = Repair("escaped_underscore", Grade.GUESSED)  # Markdown, or LaTeX
EXTRA_CLOSE = Repair("extra_close", Grade.GUESSED)
EXTRA_COMMA = Repair("extra_comma", Grade.GUESSED)
GLUED_TEXT = Repair("glued_text", Grade.GUESSED)  # {"a": "b"}c": it may have ended too early
HEX_ESCAPE = Repair("hex_escape", Grade.GUESSED)  # \x41 in a double-quoted string
INVALID_ESCAPE = Repair("invalid_escape", Grade.GUESSED)
MISMATCHED_CLOSE = Repair("mismatched_close", Grade.GUESSED)
MISSING_CLOSE = Repair("missing_close", Grade.GUESSED)
MISSING_COLON = Repair("missing_colon", Grade.GUESSED)
MISSING_COMMA = Repair("missing_comma", Grade.GUESSED)
MISSING_QUOTE = Repair("missing_quote", Grade.GUESSED)
NESTED_ESCAPES = Repair("nested_escapes", Grade.GUESSED)  # one level of backslashes or two
ODD_SEPARATOR = Repair("odd_separator", Grade.GUESSED)  # = for a colon, ; for a comma
STRAY_TEXT = Repair("stray_text", Grade.GUESSED)
UNESCAPED_QUOTE = Repair("unescaped_quote", Grade.GUESSED)

# Something is missing and was not made up.
CUT_SHORT = Repair("cut_short", Grade.TRUNCATED)
ELLIPSIS = Repair("ellipsis", Grade.TRUNCATED)
MISSING_VALUE = Repair("missing_value", Grade.TRUNCATED)


def expression(source: str) -> Repair:
    """Something that would have to be computed; it is handed on as text, never evaluated."""
    return Repair("expression", Grade.GUESSED, source[:200])
