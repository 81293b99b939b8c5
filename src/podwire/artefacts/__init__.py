"""From a plan to the text of one kind of file each. Empty until `render` needs it."""
