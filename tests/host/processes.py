"""The program under test, and its processes."""
import os
import pathlib
import shutil
import tempfile
import time
import unittest


def own_copy(program, emu):
    """The path of a copy of the program, whose processes can be distinguished from those of other tests. It is removed
    when the module's tests are over. The copy finds libemu by LD_LIBRARY_PATH."""
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    libraries = [str(pathlib.Path(emu).parents[2] / "libemu"), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    os.environ["LD_LIBRARY_PATH"] = ":".join(libraries)
    return shutil.copy(program, folder.name)


def processes_of(program):
    """The process numbers of the program."""
    found = []
    for exe in pathlib.Path("/proc").glob("[0-9]*/exe"):
        try:
            if os.readlink(exe) == program:
                found.append(int(exe.parent.name))
        except OSError:
            continue
    return found


def lasting_processes_of(program):
    """The process numbers of the program after at most five seconds: processes that end by then do not count."""
    for _ in range(100):
        found = processes_of(program)
        if not found:
            break
        time.sleep(0.05)
    return found
