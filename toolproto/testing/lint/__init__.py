"""What services refuse in the definitions of tools, and what small models stumble over."""

from .mending import mended_offer
from .remarks import LintRemark, lint_offer

__all__ = ["LintRemark", "lint_offer", "mended_offer"]
