"""Grammars of replies, for services that can hold a model to one."""
