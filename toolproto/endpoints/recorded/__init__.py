"""Endpoints whose replies are not live: scripted, taped, replayed."""
