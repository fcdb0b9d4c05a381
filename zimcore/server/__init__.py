"""The service on the network: who speaks HTTP plays, watches and asks here. Every rule is decided on this side."""
