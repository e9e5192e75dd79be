"""What strategies of products share: what templates print, what cores compute in which order, what is asked of a strategy."""
