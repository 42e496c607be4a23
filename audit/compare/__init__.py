"""Can two neighbouring datasets be told apart by what the target releases? The one place where that is decided."""
