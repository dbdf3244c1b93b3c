"""JSON Schema: judging a value, proving a schema, taming a stranger's."""
