"""What makes facts and pictures of this repository; nothing of it is installed, and users never import it."""
