"""Measured clusters: what was measured, the targets written from it, and what is predicted."""
