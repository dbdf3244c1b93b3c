"""Tools for other people's programs: one exchange, inside an SDK, as a server."""
