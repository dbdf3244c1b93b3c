"""Long runs: started by `make soak`, bounded, each printing what it counted."""
