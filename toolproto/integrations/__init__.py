"""Models of frameworks that have tools, made of text models that have none.

One module for each framework, which imports it: ``toolproto.integrations.langchain`` and so on. The
text model may be one of the framework's own, one of our endpoints, or a function from a
ChatRequest to text. What they share is in :mod:`.text_model`.
"""
