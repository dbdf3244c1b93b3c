"""The forms that models write, each a declaration, in a module for each way of writing calls.

A module is loaded when one of its forms is asked for by name.
"""

from __future__ import annotations

__all__ = ["HOMES"]

#: The forms of each module. A test compares this with what the modules declare.
_FORMS = {
    "bare_json": "llama3_json xlam llamacpp_generic phi4_mini fenced_json command_r bfcl_json",
    "tagged_json": """
        hermes ernie45 longcat granite_20b_fc jamba apriel minimax_m1 nemotron
        bfcl_json_tagged
    """,
    "token_json": "mistral command_a granite3 gigachat3 internlm apertus inkling",
    "named_json": """
        function_tag functionary_v31 functionary_v32 react harmony kimi_k2 mistral_v11
        deepseek_v3 deepseek_v31 plamo3 solar_open
    """,
    "function_tags": "qwen3_coder openhands seed_oss cline",
    "key_value_tags": "glm45 glm47 hy_v3 k2_horizon solar_open2",
    "invoke_tags": "minimax_m2 minimax_m3 dots deepseek_v32 deepseek_v4 step3 muse_glimmer kimi_k3",
    "xml": """
        xml_strict minicpm5 bfcl_concise_xml bfcl_concise_xml_tagged bfcl_verbose_xml
        bfcl_verbose_xml_tagged
    """,
    "python": "pythonic bfcl_python bfcl_python_tagged lfm2 olmo3",
    "lines_and_braces": "yaml_block raw_block functiongemma gemma4",
}
#: The module that declares a form, by its name.
HOMES = {form: module for module, forms in _FORMS.items() for form in forms.split()}
