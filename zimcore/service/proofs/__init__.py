"""What stands without the store: certificates, witnesses, exports, signatures, and the audit that reads them."""
