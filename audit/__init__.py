"""Running an anonymizer on neighbouring datasets and measuring how well the outputs can be told apart."""
