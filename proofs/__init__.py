"""Mathematics: machine-checked statements and certified numbers."""
