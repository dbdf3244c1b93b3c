"""Calls as XML: names and types of arguments in attributes."""

from __future__ import annotations

from ..payloads import TaggedCall, XmlCall
from ..wire import WireFormat, WireParadigm

__all__ = [
    "BfclConciseXml",
    "BfclConciseXmlTagged",
    "BfclVerboseXml",
    "BfclVerboseXmlTagged",
    "Minicpm5",
    "XmlStrict",
]


class XmlStrict(WireParadigm):
    """Models and gateways that insist on well-formed XML; entities count.

    ``<function_call><name>f</name><arguments><arg name=…>``: well-formed XML.
    """

    name = "xml_strict"
    wire = WireFormat(
        call=("<function_call>", "</function_call>"),
        payload=XmlCall(),
        section=("<function_calls>", "</function_calls>"),
        also=(("<tool>", "</tool>"),),  # step-3.7-flash, with no form asked of it
    )


class Minicpm5(WireParadigm):
    """MiniCPM 4 and 5.

    ``<function name=…>`` and ``<param name=…>``.
    """

    name = "minicpm5"
    wire = WireFormat(
        payload=TaggedCall(
            call=('<function name="{name}">', "</function>"),
            argument=('<param name="{key}">', "</param>"),
        ),
        also=(
            # Without the space, or with the letter that stands for one in the vocabulary.
            ('<functionname="', "</function>"),
            ('<functionĠname="', "</function>"),
            ("<function name='", "</function>"),
        ),
        result="tool_response",
    )


class BfclConciseXml(WireParadigm):
    """Comparing with BFCL results.

    ``<function name=…><param name=… type=…>value</param>``.
    """

    name = "bfcl_concise_xml"
    wire = WireFormat(
        call=("<functions>", "</functions>"),
        payload=TaggedCall(
            call=('<function name="{name}">', "</function>"),
            argument=('<param name="{key}" type="{type}">', "</param>"),
            together=True,
            between="",
        ),
    )


class BfclConciseXmlTagged(WireParadigm):
    """Comparing with BFCL results.

    The leaderboard's concise XML in ``<TOOLCALL>``.
    """

    name = "bfcl_concise_xml_tagged"
    wire = WireFormat(
        call=("<TOOLCALL><functions>", "</functions></TOOLCALL>"),
        payload=BfclConciseXml.wire.payload,
        also=(("<TOOLCALL>", "</TOOLCALL>"), ("<functions>", "</functions>")),
    )


class BfclVerboseXml(WireParadigm):
    """Comparing with BFCL results.

    ``<function name=…><params><param name=… value=… type=…/></params>``.
    """

    name = "bfcl_verbose_xml"
    wire = WireFormat(
        call=("<functions>", "</functions>"),
        payload=TaggedCall(
            call=('<function name="{name}"><params>', "</params></function>"),
            argument=('<param name="{key}" value="{value}" type="{type}"/>', ""),
            together=True,
            between="",
        ),
    )


class BfclVerboseXmlTagged(WireParadigm):
    """Comparing with BFCL results.

    The leaderboard's verbose XML in ``<TOOLCALL>``.
    """

    name = "bfcl_verbose_xml_tagged"
    wire = WireFormat(
        call=("<TOOLCALL><functions>", "</functions></TOOLCALL>"),
        payload=BfclVerboseXml.wire.payload,
        also=(("<TOOLCALL>", "</TOOLCALL>"), ("<functions>", "</functions>")),
    )
