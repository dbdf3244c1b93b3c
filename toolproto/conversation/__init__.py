"""The chat loop: who decides, what runs, what is kept."""
