# Common parts of the checks in this folder.
import sys

failures = 0


def expect(what, got, wanted):
    global failures
    if got != wanted:
        print(f"FAIL: {what}: {got}, not {wanted}")
        failures += 1


def conclude():
    sys.exit(1 if failures else 0)


# Adds up by name the time of `rank` in the intervals inside this one.
def durations(interval, rank, into):
    for inside in interval["inside"]:
        into[inside["name"]] += inside["per_rank"][rank]["execution"]
        durations(inside, rank, into)
