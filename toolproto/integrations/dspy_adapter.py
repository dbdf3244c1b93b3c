"""An adapter for DSPy that holds every output field to its type, open mappings too."""

from __future__ import annotations

from typing import Any

import dspy
import pydantic

__all__ = ["ToolprotoAdapter"]


class ToolprotoAdapter(dspy.JSONAdapter):
    """Asks for the output fields as JSON, with a schema of all of them.

    DSPy's own ``JSONAdapter`` sends none where a field is an open mapping, as that of ``ReAct``
    with a tool's arguments is; then nobody notices that a field is missing until it is too late to
    ask again. For a language model that honours schemas, as ``ToolprotoLM`` does.
    """

    def __call__(
        self, lm: Any, lm_kwargs: dict[str, Any], signature: Any, demos: Any, inputs: Any
    ) -> Any:
        """The output fields, out of what *lm* answers."""
        if not _shaped(lm, lm_kwargs, signature):
            return super().__call__(lm, lm_kwargs, signature, demos, inputs)
        return dspy.ChatAdapter.__call__(self, lm, lm_kwargs, signature, demos, inputs)

    async def acall(
        self, lm: Any, lm_kwargs: dict[str, Any], signature: Any, demos: Any, inputs: Any
    ) -> Any:
        """The same, on an event loop."""
        if not _shaped(lm, lm_kwargs, signature):
            return await super().acall(lm, lm_kwargs, signature, demos, inputs)
        return await dspy.ChatAdapter.acall(self, lm, lm_kwargs, signature, demos, inputs)


def _shaped(lm: Any, lm_kwargs: dict[str, Any], signature: Any) -> bool:
    """Whether *lm* is now told the schema of the fields; not where the answer may be calls."""
    kinds = {name: field.annotation for name, field in signature.output_fields.items()}
    if dspy.ToolCalls in kinds.values() or not lm.supports_response_schema:
        return False
    try:
        fields: Any = {
            name: (kind, ... if signature.output_fields[name].is_required() else None)
            for name, kind in kinds.items()
        }
        schema = pydantic.create_model("Fields", **fields).model_json_schema()
    except (ValueError, TypeError, pydantic.errors.PydanticUserError):
        return False
    told = {"name": "fields", "schema": schema}
    lm_kwargs["response_format"] = {"type": "json_schema", "json_schema": told}
    return True
