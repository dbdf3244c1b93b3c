"""Whether a call may run: the policy, the tool it is decided about, and who has to be asked."""
