"""What the wires of model servers look like."""
