"""Files with the iterations of each column or row of images of the Mandelbrot set."""
import os
import subprocess


def table(program, prefix, size, *options):
    """Creates the file PREFIX-SIZE if it is missing, by field-columns or field-rows. Returns the prefix."""
    file = f"{prefix}-{size}"
    if not os.path.exists(file):
        command = [program, "--table", file, "--size", str(size), *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit("field: " + done.stderr.strip())
    return prefix


def all_iterations(prefix, size):
    """The sum of the numbers in the file PREFIX-SIZE."""
    with open(f"{prefix}-{size}", "rb") as file:
        data = file.read()
    return sum(int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data), 8))
