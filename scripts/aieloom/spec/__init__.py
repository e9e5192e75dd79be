"""What users and the device catalogue say, read with file and line, validated, immutable."""
