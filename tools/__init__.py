"""What the project runs on itself: set-up, the build's list of sources, stages. Nothing here is installed."""
