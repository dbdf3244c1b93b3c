"""Google's generateContent: as we ask for it, and as clients ask us."""
