"""OpenAI's text completions, as we ask for one; who asks us for one is handed on."""
