"""Pictures of docs: the screens of the terminal, a film of the table, the views of the page."""
