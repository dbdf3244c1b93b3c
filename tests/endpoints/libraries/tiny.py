"""What the tests of all libraries share: a tokenizer of bytes, a request, and reading a reply."""

from __future__ import annotations

from toolproto import ChatRequest, Message

TEMPLATE = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<model>"
)
REQUEST = ChatRequest(
    (Message("system", "Be brief."), Message("user", "Hi")),
    params={"max_tokens": 24, "temperature": 0},
)


def tokenizer(template: str | None = TEMPLATE):
    """One token for each byte, and one for the end; its template refuses a system message."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {"<eos>": 0, **{letter: at for at, letter in enumerate(letters, 1)}}
    made = Tokenizer(models.BPE(vocabulary, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<eos>")
    fast.chat_template = template
    return fast


def chunks_of(endpoint, request=REQUEST):
    with endpoint.stream(request) as chunks:
        return list(chunks)


def text_of(chunks) -> str:
    return "".join(chunk.text for chunk in chunks)
