"""The client of a server: it answers reads by itself, from a copy of the lines, and sends writes to the server."""
