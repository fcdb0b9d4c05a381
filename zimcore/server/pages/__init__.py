"""Pages: games for people with a browser. Each asks what the resources of `/v1` ask, with a token out of a cookie."""
