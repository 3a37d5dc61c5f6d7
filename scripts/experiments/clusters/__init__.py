"""Measured clusters: measurements, targets written from them, and predictions."""
