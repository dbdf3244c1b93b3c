"""Connections to model servers, and their streams."""
