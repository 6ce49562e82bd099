"""What the clusterers see: components, pixels, learnt features."""
