"""A board as SVG or PNG, and a game as a page. What is drawn on it is each game's own art."""
