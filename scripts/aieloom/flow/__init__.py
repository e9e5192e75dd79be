"""What ties the stages together: doit tasks, what each does, and how the outcome is told."""
