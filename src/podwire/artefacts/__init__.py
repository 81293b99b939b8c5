"""From what is wanted to the text of one kind of file each; nothing is written here."""
