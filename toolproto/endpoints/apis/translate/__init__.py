"""The APIs that clients speak, one module each, both directions; nothing here waits or sends."""
