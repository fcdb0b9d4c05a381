"""The endpoints of the HTTP API: one handler for each row of `zimcore/documents/endpoints.py`."""
