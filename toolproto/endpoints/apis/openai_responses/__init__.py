"""OpenAI's responses, as clients ask for one; no server that we ask needs them."""
