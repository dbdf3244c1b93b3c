"""Private values stay at home: the model sees placeholders in their stead."""

from .fields import Masking, random_nonce
from .unmasker import Unmasker

__all__ = ["Masking", "Unmasker", "random_nonce"]
