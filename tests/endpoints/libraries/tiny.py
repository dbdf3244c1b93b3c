"""What the tests of all libraries share: a tiny model, a request, and reading a reply."""

from __future__ import annotations

from pathlib import Path

from toolproto import ChatRequest, Message

TEMPLATE = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<model>"
REQUEST = ChatRequest(
    (Message("system", "Be brief."), Message("user", "Hi")),
    params={"max_tokens": 24, "temperature": 0},
)


def tokenizer():
    """One token for each byte, and one for the end."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {"<eos>": 0, **{letter: at for at, letter in enumerate(letters, 1)}}
    made = Tokenizer(models.BPE(vocabulary, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<eos>")
    fast.chat_template = TEMPLATE
    return fast


def save_llama(folder: Path) -> Path:
    """*folder*, with a tiny random model and its tokenizer in it."""
    import torch
    import transformers

    torch.manual_seed(3)
    config = transformers.LlamaConfig(
        vocab_size=257, hidden_size=64, intermediate_size=64, num_hidden_layers=1,
        num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=2048,
        bos_token_id=None, eos_token_id=0, pad_token_id=0,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


def chunks_of(endpoint, request=REQUEST):
    with endpoint.stream(request) as chunks:
        return list(chunks)


def text_of(chunks) -> str:
    return "".join(chunk.text for chunk in chunks)
