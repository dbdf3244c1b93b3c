"""What a person is told about each repair."""

from __future__ import annotations

from collections.abc import Mapping

from .messages import ECHOED, Grade, Repair

__all__ = ["GRADES", "REPAIRS", "repair_words"]

GRADES: Mapping[Grade, str] = {
    Grade.LOSSLESS: "it is another spelling of the same call",
    Grade.GUESSED: "this is the likeliest reading; you are asked before a tool changes anything",
    Grade.TRUNCATED: "a part of it is missing and was not filled in; it never runs",
}

#: One for each name that a repair can have; those of plugins speak for themselves.
REPAIRS: Mapping[str, str] = {
    # what is around the call
    ECHOED: "it appeared word for word in what a tool gave back",
    "fenced": "it was in a code fence that was not asked for",
    "fence_in_marker": "there was a code fence inside the markers",
    "in_expression": "it was inside another expression",
    "missing_marker": "its marker was missing",
    "missing_wrapper": "the object around the calls was missing",
    "missing_prefix": "the text that belongs before the name was missing",
    "missing_closer": "its closing marker was missing",
    "missing_separator": "the text that belongs between two arguments was missing",
    "other_closer": "it ended with another closing marker",
    "extra_closer": "there was one closing marker too many",
    "several_calls_in_marker": "several calls were between one pair of markers",
    "foreign_format": "it was in the form of another paradigm",
    "other_family": "it was written differently than asked",
    "quoted_call": "the call was written as a string",
    "leaked_as_text": "the service sent it as text, not as a call",
    "leaked_in_reasoning": "the service sent it as the end of a thought, not as a call",
    "continued": "the reply was cut and continued",
    "call_list": "there was a list where one call was asked for",
    # the call itself
    "name_key": "the tool's name was under another key",
    "arguments_key": "the arguments were under another key",
    "missing_name": "the name was missing, and only one tool could be meant",
    "named_twice": "the name was given twice",
    "nested_call": "the call was inside another object",
    "arguments_string": "the arguments were JSON in a string",
    "dict_argument": "the arguments were in one dictionary or object of their own",
    "empty_arguments": "the arguments were left out instead of written as an empty object",
    "flattened_arguments": "the arguments were beside the name instead of in their own object",
    "positional_arguments": "arguments without names got their names from their order",
    "text_argument": "plain text was taken for the only argument",
    "colon_keyword": "there was a colon in place of the equals sign",
    "quoted_keyword": "the name of an argument was quoted",
    "missing_paren": "a parenthesis was missing",
    "native_arguments_mended": "the service sent arguments that were not sound JSON",
    # its JSON
    "bare_key": "a key without quotes",
    "bare_string": "a string without quotes",
    "bytes": "a bytes literal was read as text",
    "comment": "a comment was left out",
    "control_character": "a raw line break or control character in a string",
    "null_word": "the word null was read as no value, not as text",
    "duplicate_key": "a key was given twice, with the same value",
    "escaped_apostrophe": "an apostrophe was escaped",
    "escaped_json": "the whole object was escaped as in a string",
    "escaped_underscore": "an underscore was escaped",
    "expression": "an expression was kept as text; nothing is ever computed",
    "extra_close": "one closing bracket too many",
    "extra_comma": "one comma too many",
    "f_string": "an f-string was read as plain text",
    "glued_text": "there was text right after a value",
    "hex_escape": "a hexadecimal escape",
    "invalid_escape": "a backslash that escapes nothing",
    "joined_strings": "strings side by side in a list were joined; a comma may be missing",
    "literal": "True, None or the like in place of JSON's true and null",
    "mismatched_close": "a closing bracket of the wrong kind",
    "missing_close": "a closing bracket was missing",
    "missing_colon": "a colon was missing",
    "missing_comma": "a comma was missing",
    "missing_quote": "a quotation mark was missing",
    "nested_escapes": "escapes inside escapes",
    "number_form": "a number that JSON writes differently",
    "odd_separator": "a separator other than a colon or a comma",
    "odd_space": "an unusual space",
    "parentheses": "parentheses around a value",
    "quote_style": "other quotation marks",
    "broken_tag": "a tag was misspelt",
    "raw_markup": "markup that was not escaped",
    "untold_type": "a value whose type nothing tells was read as JSON, not as text",
    "tag_in_value": "a tag in a value was read as part of it",
    "stray_text": "text that is not part of anything",
    "trailing_comma": "a comma after the last element",
    "triple_quoted": "a triple-quoted string",
    "tuple": "a tuple was read as a list",
    "set": "a set was read as a list",
    "unescaped_quote": "a quotation mark inside a string was not escaped",
    # cut off
    "cut_short": "it was cut off",
    "ellipsis": "something was left out and replaced by an ellipsis",
    "missing_value": "a value was missing",
    # against the tool's schema
    "name_markup": "the tool's name was quoted or escaped",
    "name_case": "the tool's name was written with other capital or small letters",
    "name_separator": "the words of the tool's name were joined differently",
    "name_prefix": "the tool's name had a prefix",
    "name_module": "the tool's name lacked its module",
    "unknown_argument": "an argument that the tool does not know was left out",
    "name_near": "the tool's name was misspelt",
    "argument_name": "the name of an argument was mended",
    "dropped_null": "a null for an optional argument was left out",
    "enum_spelling": "one of the allowed values was spelt differently",
    "json_string": "JSON text was read as its value",
    "wrapped_in_array": "a lone value was put into an array",
    "unwrapped_from_array": "an array with one value was read as that value",
    "coerced_null": "null was written as a value of another type",
    "coerced_boolean": "true or false was written as a value of another type",
    "coerced_integer": "a whole number was written as a value of another type",
    "coerced_number": "a number was written as a value of another type",
    "coerced_string": "text was written as a value of another type",
}


def repair_words(repair: Repair) -> str:
    """*repair* in words."""
    words = REPAIRS.get(repair.name, repair.name.replace("_", " "))
    return f"{words} ({repair.detail})" if repair.detail else words
