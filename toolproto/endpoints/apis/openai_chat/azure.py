"""Azure OpenAI: OpenAI's chat completions below the name of a deployment, with a version."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from .client import OpenAIChat

__all__ = ["AzureOpenAI"]


@dataclass(frozen=True, slots=True)
class AzureOpenAI(OpenAIChat):
    """``POST /openai/deployments/NAME/chat/completions?api-version=…`` of a resource.

    The url is that of the resource (``https://NAME.openai.azure.com``), the model the name of the
    deployment. *entra* says that the key is a token of Microsoft Entra. The newer ``…/openai/v1``
    has no versions, and is spoken to as ``openai_chat``.
    """

    name = "azure_openai"
    path = "/openai/deployments"

    api_version: str = "2024-10-21"
    entra: bool = False

    def path_of(self, model: str) -> str:
        """Where requests for the deployment *model* go."""
        version = quote(self.api_version, safe="")
        return f"{self.path}/{quote(model, safe='')}/chat/completions?api-version={version}"

    def headers(self, api_key: str | None) -> dict[str, str]:
        """What identifies the caller."""
        if api_key is None:
            return {}
        return {"Authorization": f"Bearer {api_key}"} if self.entra else {"api-key": api_key}
