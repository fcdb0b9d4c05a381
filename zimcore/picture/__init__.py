"""Draws boards as SVG or PNG, and games as pages. Each game brings the art of its pieces."""
