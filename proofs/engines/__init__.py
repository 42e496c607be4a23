"""The engines: each decides one kind of body and says how."""
