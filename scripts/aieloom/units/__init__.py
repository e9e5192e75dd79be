"""What any design is made of: units, tasks, links, buffers, turns; and what is asked of all of them alike."""
