"""Data files of the scenes."""
