"""Converts traces (trace.c) to the table of messages.inc: for each group size and operation the FNV-1a hash over all
calls, and for each call over all ranks, of the text after the bar in the rank's line."""
import os
import sys

folder = sys.argv[1]
sizes = sorted({int(name.split(".")[0]) for name in os.listdir(folder)})
for size in sizes:
    ranks = [open(os.path.join(folder, f"{size}.{rank}")).read().splitlines() for rank in range(size)]
    hashes = {}
    for lines in zip(*ranks):
        operation = lines[0].split()[0]
        value = hashes.get(operation, 0xCBF29CE484222325)
        for line in lines:
            for byte in (line.split("|", 1)[1] + "\n").encode():
                value = (value ^ byte) * 0x100000001B3 % 2**64
        hashes[operation] = value
    for operation in sorted(hashes):
        print(f'{{{size}, "{operation}", 0x{hashes[operation]:016x}}},')
