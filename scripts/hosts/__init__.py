"""Rehearsals as a host and as a client: operating.md typed on a machine, clients generated from OpenAPI."""
