"""The user's signing keys, and the keys of others that they trust."""
