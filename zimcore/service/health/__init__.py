"""What `zim doctor` examines: the file or database, its content, its last backup."""
