"""The laws, on our own paradigms."""

#: One paradigm for each engine.
CLOSELY = ("json_strict", "xml_tag", "hermes", "qwen3_coder", "pythonic")
