"""One reply as it arrives: prose, thinking, markers, and where a call stands in it."""
