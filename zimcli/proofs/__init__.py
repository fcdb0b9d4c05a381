"""Files of certificates and witnesses, as `verify` and `audit` read them."""
