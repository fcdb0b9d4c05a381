"""The same door at the other end of a URL: reading is a fold at the client, writing is asked of a server."""
