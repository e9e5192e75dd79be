"""What people look at: the summary's numbers, the floor plan, the graph, the HTML page."""
