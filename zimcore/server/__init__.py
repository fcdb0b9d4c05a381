"""The HTTP server: clients play, watch and ask through it. All rules are decided here, not by the clients."""
