"""What every API that clients speak to us needs, whatever it is called there."""
