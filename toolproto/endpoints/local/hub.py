"""A model on the Hugging Face hub, or on a mirror of it that ``HF_ENDPOINT`` names."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from ...errors import EndpointError, UsageError
from ...package import install_command
from .fetching import RemoteFile

__all__ = ["hub_file"]

_SHA256 = re.compile(r"[0-9a-f]{64}")


def hub_file(repository: str, filename: str) -> RemoteFile:
    """The file *filename* of *repository* as it is now, with the hub's own checksum."""
    try:
        from huggingface_hub import get_hf_file_metadata, hf_hub_url
    except ImportError:
        raise UsageError(
            f"models of the hub need huggingface_hub: {install_command('hub')}"
        ) from None
    try:
        found = get_hf_file_metadata(hf_hub_url(repository, filename))
    except Exception as error:  # the library's own, and those of whatever it uses for HTTP
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise EndpointError(
            f"the hub did not give {filename} of {repository} (are you online?): {reason}; "
            "or pull a GGUF file that you have: toolproto model pull FILE"
        ) from None
    if urlsplit(found.location).scheme not in ("http", "https"):
        raise EndpointError(f"the hub gives no web address for {filename}")
    name = PurePosixPath(filename).name
    # Large files are tagged with their SHA-256.
    checksum = found.etag if found.etag and _SHA256.fullmatch(found.etag) else None
    return RemoteFile(name, found.location, found.size, checksum)
