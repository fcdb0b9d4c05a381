"""HTTP below the endpoints: protocol, limits, tokens, headers, problems, cached replies."""
