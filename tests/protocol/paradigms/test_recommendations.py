"""What is recommended for a model, and how to say otherwise."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolproto
from tests.amount import together
from toolproto import UsageError, get_paradigm
from toolproto.protocol.describe import list_styles
from toolproto.protocol.paradigms.recommendations import Recommendation, recommend
from toolproto.protocol.paradigms.teaching import PRESETS

FILE = Path(toolproto.__file__).parent / "protocol/paradigms/recommendations.toml"
ROWS = tomllib.loads(FILE.read_text(encoding="utf-8"))["model"]
RECOMMENDED = sorted({row["paradigm"] for row in ROWS})

#: Names as hubs, services and local servers write them.
MODELS = {
    "deepseek-r1-distill-qwen-7b": "deepseek_v3",
    "deepseek-ai/DeepSeek-R1-0528": "deepseek_v3",
    "deepseek-ai/DeepSeek-V3": "deepseek_v3",
    "DeepSeek-V3.1-Terminus": "deepseek_v31",
    "deepseek-v3.2-exp": "deepseek_v32",
    "deepseek-chat": "deepseek_v32",
    "deepseek-ai/DeepSeek-V4": "deepseek_v4",
    "NousResearch/Hermes-3-Llama-3.1-8B": "hermes",
    "Qwen/Qwen2.5-7B-Instruct": "hermes",
    "qwen2.5:0.5b": "hermes",
    "qwen3:8b-q4_K_M": "hermes",
    "Qwen/QwQ-32B": "hermes",
    "ibm-granite/granite-4.0-h-small": "hermes",
    "granite3.3:8b": "granite3",
    "granite-20b-functioncalling": "granite_20b_fc",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct": "qwen3_coder",
    "qwen3.5-plus": "qwen3_coder",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B": "qwen3_coder",
    "nvidia/NVIDIA-Nemotron-Nano-9B-v2": "nemotron",
    "ByteDance-Seed/Seed-OSS-36B-Instruct": "seed_oss",
    "meta-llama/Llama-3.1-8B-Instruct": "llama3_json",
    "meta.llama3-1-70b-instruct-v1:0": "llama3_json",
    "llama3.2:3b": "llama3_json",
    "Meta_Llama_3.3_70B": "llama3_json",
    "meta-llama/Llama-4-Scout-17B-16E": "pythonic",
    "google/gemma-3-27b-it": "pythonic",
    "google/gemma-4-31b-it": "gemma4",
    "google/functiongemma-270m-it": "functiongemma",
    "LiquidAI/LFM2-1.2B": "lfm2",
    "allenai/Olmo-3-7B-Instruct": "olmo3",
    "mistralai/Mistral-7B-Instruct-v0.3": "mistral",
    "mistral-nemo:latest": "mistral",
    "Mistral-Small-3.2-24B-Instruct-2506": "mistral_v11",
    "devstral-small": "mistral_v11",
    "zai-org/GLM-4.6": "glm45",
    "GLM-4.7-Flash": "glm47",
    "moonshotai/Kimi-K2-Instruct": "kimi_k2",
    "kimi-k3": "kimi_k3",
    "MiniMaxAI/MiniMax-M2.5": "minimax_m2",
    "MiniMax-M1-80k": "minimax_m1",
    "minimax-m3": "minimax_m3",
    "ai21labs/AI21-Jamba-1.5-Mini": "jamba",
    "tencent/Hunyuan-A13B-Instruct": "jamba",
    "tencent/Hy3": "hy_v3",
    "ServiceNow-AI/Apriel-1.6-15b-Thinker": "apriel",
    "internlm/internlm3-8b-instruct": "internlm",
    "microsoft/Phi-4-mini-instruct": "phi4_mini",
    "fireworks-ai/firefunction-v2": "phi4_mini",
    "Salesforce/Llama-xLAM-2-8b-fc-r": "xlam",
    "baidu/ERNIE-4.5-21B-A3B-Thinking": "ernie45",
    "meituan-longcat/LongCat-Flash-Chat": "longcat",
    "stepfun-ai/step3": "step3",
    "meetkai/functionary-small-v3.1": "functionary_v31",
    "meetkai/functionary-small-v3.2": "functionary_v32",
    "command-r-plus": "command_r",
    "CohereLabs/c4ai-command-r7b-12-2024": "command_a",
    "command-a-03-2025": "command_a",
    "openai/gpt-oss-20b": "harmony",
    "swiss-ai/Apertus-8B-Instruct-2509": "apertus",
    "GigaChat3-10B-A1.8B": "gigachat3",
    "upstage/Solar-Open-100B": "solar_open",
    "upstage/Solar-Open2-250B": "solar_open2",
    "openbmb/MiniCPM5-8B": "minicpm5",
    "rednote-hilab/dots.llm1.inst": "dots",
    "muse-glimmer": "muse_glimmer",
    "inkling-1": "inkling",
    "K2-Horizon": "k2_horizon",
    "pfnet/plamo-3-nict-8b": "plamo3",
    "HuggingFaceTB/SmolLM2-135M-Instruct": "json_strict",
    "HuggingFaceTB/SmolLM3-3B": "hermes",
    "gpt-4o-mini": "json_strict",
    "claude-sonnet-4-5": "xml_tag",
    "my-thinking-model": "xml_tag",
    "turbo1-step3000": "json_strict",
    "phi-4": "json_strict",
    "": "json_strict",
    "模型": "json_strict",
}


@together(model=MODELS)
def test_a_model_is_known_by_its_name(model):
    assert recommend(model).paradigm == MODELS[model]


@together(model=[name for name in MODELS if name.isascii()])
def test_case_and_separators_do_not_matter(model):
    written = {model, model.upper(), f"  {model} ", model.replace("/", ":")}
    assert len({recommend(each) for each in written}) == 1


def test_every_family_of_the_table_is_met_by_some_name():
    assert set(MODELS.values()) == set(RECOMMENDED)


def test_an_unknown_model_gets_the_default_of_the_library():
    known = recommend("never-heard-of")
    assert (known.paradigm, known.describe) == (get_paradigm().name, "forms")
    assert "nothing is known" in known.why


@together(row=ROWS)
def test_a_row_says_why_and_where_it_is_from(row):
    assert {"match", "paradigm", "why", "source"} <= set(row)
    assert row.get("describe", "forms") in list_styles()
    assert row.get("teaching", "balanced") in PRESETS
    assert len(row["why"]) > 10
    assert len(row["source"]) > 3


def test_the_last_row_matches_everything_and_no_other_does():
    assert [row["match"] for row in ROWS].index("*") == len(ROWS) - 1


@together(name=RECOMMENDED)
def test_what_is_recommended_is_there(name):
    assert get_paradigm(name).name == name


@given(st.text())
def test_any_text_has_a_recommendation(model):
    assert isinstance(recommend(model), Recommendation)


# -- one's own table ----------------------------------------------------------------------

OWN = {"match": "our-*", "paradigm": "xml_tag", "describe": "typescript", "why": "we tried it"}


def test_rows_of_ones_own_come_first():
    assert recommend("our-qwen", [OWN]) == Recommendation("xml_tag", "typescript", "we tried it")
    assert recommend("qwen3", [OWN]) == recommend("qwen3")


def test_the_first_row_that_matches_counts():
    assert recommend("our-model", [OWN, {**OWN, "paradigm": "react"}]).paradigm == "xml_tag"


def test_a_row_may_be_short():
    assert recommend("x", [{"match": "x", "paradigm": "react"}]) == Recommendation("react")


def test_rows_can_come_from_a_file(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('[[model]]\nmatch = ["Our/*", "ours"]\nparadigm = "react"\n', encoding="utf-8")
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["model"]
    assert recommend("our/model", rows).paradigm == recommend("OURS", rows).paradigm == "react"
    assert recommend("your/model", rows) == recommend("your/model")


def test_the_shipped_file_is_a_table_like_any_other():
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))["model"]
    assert recommend("qwen3", rows) == recommend("qwen3")


PATTERNS = [
    ("*", "anything", True),
    ("*", "", True),
    ("abc", "abc", True),
    ("abc", "abcd", False),
    ("abc*", "abcd", True),
    ("*bcd", "abcd", True),
    ("a*d", "abcd", True),
    ("a*bc*cd", "abcd", False),
    ("a*b*b", "ab", False),
    ("ab*ba", "aba", False),
    ("*b*b*", "abcbd", True),
    ("**", "x", True),
    ("a?c", "abc", False),
    ("[a]bc", "abc", False),
    ("a.c", "abc", False),
]


@pytest.mark.parametrize("pattern, name, matches", PATTERNS)
def test_a_pattern_matches_so(pattern, name, matches):
    found = recommend(name, [{"match": pattern, "paradigm": "mine"}])
    assert (found.paradigm == "mine") is matches


def test_a_hostile_pattern_and_a_hostile_name_take_no_time():
    start = time.process_time()
    recommend("a" * 1_000_000, [{"match": "*a" * 10_000 + "b", "paradigm": "mine"}])
    assert time.process_time() - start < 2


WRONG = [
    ([{"paradigm": "x"}], r"row 1 of the table lacks \['match'\]"),
    ([OWN, {"match": "x"}], r"row 2 of the table lacks \['paradigm'\]"),
    ([{**OWN, "match": ""}], "lacks"),
    ([{**OWN, "match": 3}], "'match' must be a pattern or a list"),
    ([{**OWN, "match": ["a", 3]}], "'match' must be a pattern or a list"),
    ([{**OWN, "paradigm": 3}], "'paradigm' must be text, got 3"),
    ([{**OWN, "style": "xml"}], r"has \['style'\]; a row has 'match' and"),
    ([{**OWN, "describe": "prose"}], "no style named 'prose'"),
    (["x"], "must be a mapping"),
    (3, "must be a list of rows, got 3"),
    ("own.toml", "must be a list of rows, got 'own.toml'"),
]


@pytest.mark.parametrize("table, message", WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_table_is_told_where(table, message):
    with pytest.raises(UsageError, match=message):
        recommend("x", table)


@pytest.mark.parametrize("model", [None, 3, b"qwen"])
def test_a_model_has_a_name(model):
    with pytest.raises(UsageError, match="takes a model's name"):
        recommend(model)
