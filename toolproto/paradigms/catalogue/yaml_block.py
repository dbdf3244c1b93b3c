"""A fenced block of YAML for each call; long text stands below its key, without escapes."""

from __future__ import annotations

from ..line_payloads import YamlCall
from ..registry import register_paradigm
from ..wire import WireFormat, WireParadigm

__all__ = ["YamlBlock"]


@register_paradigm
class YamlBlock(WireParadigm):
    """Chat models that lose count of brackets and quotes, and that fence whatever they write."""

    name = "yaml_block"
    wire = WireFormat(
        call=("```yaml\n", "\n```"), payload=YamlCall(), also=(("```yml", "```"),), sure=False
    )

    def _how(self) -> str:
        return (
            "To use one, write its call exactly as shown, from ```yaml to ```. Text of several"
            " lines goes below its key and a |, each line indented by four spaces."
        )
