"""What a person is told about each repair, each reason and each kind of markup."""

from __future__ import annotations

from collections.abc import Iterator

from ..messages import Grade, Repair
from .values import Finding, Reason, Verdict

__all__ = ["GRADES", "REASONS", "REPAIRS", "repair_words", "why"]

GRADES = {
    Grade.LOSSLESS: "it is another spelling of the same call",
    Grade.GUESSED: "this is its likeliest reading; a tool that changes something asks first",
    Grade.TRUNCATED: "something of it is missing and was not made up; it is never run",
}

REASONS = {
    Reason.THINKING: "it stands in thinking",
    Reason.OPEN_THINKING: "it stands in thinking that is never closed",
    Reason.INLINE_CODE: "it stands in inline code",
    Reason.FENCE_WITH_MORE: "it stands in a code fence that holds other things, too",
    Reason.FENCE_WITH_TALK: "it stands in a code fence, and the reply goes on behind that",
    Reason.BROKEN_OFF: "the reply was broken off before it could be told whether it is meant",
    Reason.BLOCK_QUOTE: "it stands in a block quote",
    Reason.TABLE: "it stands in a table",
    Reason.QUOTATION: "it stands between quotation marks",
    Reason.SENTENCE: "it is woven into a sentence",
    Reason.OTHER_JSON: "it is part of a larger JSON value, so it is data",
    Reason.AFTER_END: "it stands behind the end of the model's turn, where everything is cut off",
    Reason.UNMARKED: "it lacks its marker, and without that only one at the start of a line counts",
    Reason.FOREIGN_FORM: "it has the form of {form}",
    Reason.UNKNOWN_TOOL: "no tool of that name is on offer",
    Reason.NOT_READ: "it could be read alone, but not where it stands",
}
_SALVAGE = ", which get_paradigm(…, salvage=True) would read"

#: One for each name that a repair can have; those of plugins speak for themselves.
REPAIRS = {
    # where the call stands, and what is around it
    "fenced": "it stood in a code fence that nobody asked for",
    "fence_in_marker": "a code fence stood inside the markers",
    "woven_in": "it stood in the middle of a sentence, but is too long for an example",
    "in_expression": "it stood inside another expression",
    "missing_marker": "its marker was missing",
    "missing_wrapper": "the object around the calls was missing",
    "missing_prefix": "what should stand before the name was missing",
    "missing_closer": "its closing marker was missing",
    "other_closer": "another closing marker ended it",
    "extra_closer": "a closing marker too many",
    "several_calls_in_marker": "several calls stood between one pair of markers",
    "foreign_format": "it was in the form of another paradigm",
    "other_family": "it was written in another way than asked",
    "quoted_call": "the call was written as a string",
    "continued": "the reply was cut and continued",
    "call_list": "a list stood where one call was asked for",
    # the call itself
    "name_key": "the tool's name stood under another key",
    "arguments_key": "the arguments stood under another key",
    "named_twice": "the name was given twice",
    "nested_call": "the call stood inside another object",
    "arguments_string": "the arguments were JSON in a string",
    "dict_argument": "the arguments stood in one dictionary",
    "empty_arguments": "there were no arguments, where an empty object was due",
    "flattened_arguments": "the arguments stood beside the name instead of in their own object",
    "positional_arguments": "arguments without names were given their names by their order",
    "text_argument": "plain text was taken for the only argument",
    "colon_keyword": "a colon stood for the equals sign",
    "quoted_keyword": "the name of an argument was quoted",
    "key_form": "a key was written in another way",
    "missing_line_break": "a line break was missing",
    "missing_paren": "a parenthesis was missing",
    # its JSON
    "bare_key": "a key without quotes",
    "bare_string": "a string without quotes",
    "bytes": "a bytes literal was read as text",
    "comment": "a comment was left out",
    "constructor": "dict(…) or the like was read as the value it makes",
    "control_character": "a raw line break or control character in a string",
    "empty_element": "an empty element was taken for an empty list or object",
    "duplicate_key": "a key was given twice, with the same value",
    "escaped_apostrophe": "an apostrophe was escaped",
    "escaped_json": "the whole object was escaped as if quoted",
    "escaped_underscore": "an underscore was escaped",
    "expression": "an expression was kept as text; nothing is ever computed",
    "extra_close": "a closing bracket too many",
    "extra_comma": "a comma too many",
    "f_string": "an f-string was read as plain text",
    "glued_text": "text stood right behind a value",
    "hex_escape": "a hexadecimal escape",
    "invalid_escape": "a backslash that escapes nothing",
    "literal": "True, None or the like, for JSON's true and null",
    "mismatched_close": "a closing bracket of the wrong kind",
    "missing_close": "a closing bracket was missing",
    "missing_colon": "a colon was missing",
    "missing_comma": "a comma was missing",
    "missing_open": "an opening bracket was missing",
    "missing_quote": "a quotation mark was missing",
    "nested_escapes": "escapes inside escapes",
    "null_word": "the word null was taken for no value, and not for text",
    "number_form": "a number that JSON writes otherwise",
    "odd_separator": "another separator than a colon or a comma",
    "odd_space": "an unusual space",
    "parentheses": "parentheses around a value",
    "quote_style": "other quotation marks",
    "raw_markup": "markup that was not escaped",
    "set": "a set was read as a list",
    "stray_text": "text that belongs to nothing",
    "trailing_comma": "a comma behind the last element",
    "triple_quoted": "a triple-quoted string",
    "tuple": "a tuple was read as a list",
    "unescaped_quote": "a quotation mark inside a string was not escaped",
    # cut off
    "cut_short": "it was cut off",
    "ellipsis": "an ellipsis stood for what was left out",
    "missing_value": "a value was missing",
    # against the tool's schema
    "name_markup": "the tool's name was quoted or escaped",
    "name_case": "the tool's name was written in other letters, large or small",
    "name_separator": "the words of the tool's name were joined otherwise",
    "name_prefix": "the tool's name had a prefix",
    "name_module": "the tool's name lacked its module",
    "name_near": "the tool's name was misspelt",
    "argument_name": "the name of an argument was mended",
    "dropped_null": "a null for an optional argument was left out",
    "enum_spelling": "one of the allowed values was spelt otherwise",
    "json_string": "JSON text was read as the value it holds",
    "wrapped_in_array": "a lone value was put into an array",
    "unwrapped_from_array": "the only value of an array was taken out",
    "coerced_null": "null was written as another value",
    "coerced_boolean": "true or false was written as another value",
    "coerced_integer": "a whole number was written as another value",
    "coerced_number": "a number was written as another value",
    "coerced_string": "text was written as another value",
}


def repair_words(repair: Repair) -> str:
    """*repair* in words."""
    words = REPAIRS.get(repair.name, repair.name.replace("_", " "))
    return f"{words} ({repair.detail})" if repair.detail else words


def why(finding: Finding) -> str:
    """Why the call was taken as it was, in one sentence."""
    match finding.verdict:
        case Verdict.ACCEPTED:
            return "it is written as asked"
        case Verdict.REPAIRED:
            assert finding.call is not None and finding.call.grade is not None
            return GRADES[finding.call.grade]
        case Verdict.REJECTED:
            assert finding.problem is not None
            return f"{finding.problem.kind.value.replace('_', ' ')}: {finding.problem.message}"
        case Verdict.IGNORED:
            return " and ".join(_reasons(finding))


def _reasons(finding: Finding) -> Iterator[str]:
    for reason in finding.reasons:
        words = REASONS[reason]
        if reason is Reason.FOREIGN_FORM:
            words = words.format(form=finding.form or "another paradigm")
            # Where something else is in the way, too, that would not help.
            words += _SALVAGE if len(finding.reasons) == 1 else ""
        yield words
