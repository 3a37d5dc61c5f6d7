"""Jobs of the program misuse.c that must end soon, with a reason, and must leave nothing behind.

The modules that use it are called with EMU MPIRUN MISUSE TARGET DEADLY.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from processes import lasting_processes_of, own_copy  # noqa: E402

EMU, MPIRUN, MISUSE, TARGET, DEADLY = (str(pathlib.Path(a).absolute()) for a in sys.argv[1:6])
del sys.argv[1:6]
ANY = "not 0"  # an exit code
# Two helpers of mpirun on one machine.
HELPERS = ["-launcher", "fork", "-hosts", "one:2,two:2"]
MEMORY = pathlib.Path("/dev/shm")
for variable in ("EMU_LOG", "EMU_TARGET", "EMU_JITTER"):
    os.environ.pop(variable, None)


class Ended:
    """A job that has ended: its exit code (None: it had to be killed), its standard output and standard error."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit code {self.code}\nstdout: {self.out}\nstderr: {self.err}"


def mapped(file):
    """Whether a process has the file in its memory."""
    for maps in pathlib.Path("/proc").glob("[0-9]*/maps"):
        try:
            if str(file) in maps.read_text(errors="replace"):
                return True
        except OSError:
            continue
    return False


class JobTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = own_copy(MISUSE, EMU)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()

    def launched(self, command, variables):
        """The job as a group of processes of its own, in the test's folder. An interrupt from the keyboard reaches the
        whole group. The job's output goes to files, which processes that outlive it cannot keep open for us."""
        self.memory = set(MEMORY.iterdir())
        environment = {**os.environ, "TMPDIR": str(self.temporary), **variables}
        with open(self.folder / "out", "wb") as out, open(self.folder / "err", "wb") as err:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=self.folder,
                                    env=environment, start_new_session=True)

    def said(self, file):
        return (self.folder / file).read_text(errors="replace")

    def expect(self, code, seconds, pattern, *command, **variables):
        """Runs the command. Checks its exit code, that it ends within `seconds`, that its standard error matches the
        pattern, and that it leaves nothing behind."""
        job = self.launched(command, variables)
        try:
            job.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()
            self.nothing_is_left()
            self.fail(f"not over after {seconds} s: {command}\n{Ended(None, self.said('out'), self.said('err'))}")
        ended = Ended(job.returncode, self.said("out"), self.said("err"))
        self.nothing_is_left()
        if code is ANY:
            self.assertNotEqual(ended.code, 0, f"{command}\n{ended}")
        else:
            self.assertEqual(ended.code, code, f"{command}\n{ended}")
        self.matches(ended, pattern)
        return ended

    def nothing_is_left(self):
        """Checks that within five seconds no process, no temporary file and no shared memory is left."""
        alive = lasting_processes_of(self.program)
        for process in alive:
            os.kill(process, signal.SIGKILL)
        self.assertEqual(alive, [], "processes outlive their job")
        self.assertEqual(list(self.temporary.iterdir()), [])
        # Another job of the host may have just made a file that it will remove, so only files that remain count.
        for file in set(MEMORY.iterdir()) - self.memory:
            deadline = time.monotonic() + 5
            while file.exists() and not mapped(file):
                self.assertLess(time.monotonic(), deadline, f"{file} is left")
                time.sleep(0.1)

    def matches(self, ended, pattern):
        self.assertRegex(ended.err, re.compile(pattern, re.MULTILINE), str(ended))

    def lacks(self, ended, pattern):
        self.assertNotRegex(ended.err, re.compile(pattern, re.MULTILINE), str(ended))

    def once(self, ended, pattern):
        lines = [line for line in ended.err.splitlines() if re.search(pattern, line)]
        self.assertEqual(len(lines), 1, f"{pattern}\n{ended}")

    def run_by_emu(self, code, seconds, pattern, ranks, case, **variables):
        return self.expect(code, seconds, pattern, EMU, "run", "--target", TARGET, "-n", str(ranks), self.program, case,
                           **variables)

    def run_by_mpirun(self, code, seconds, pattern, ranks, case, *options, **variables):
        return self.expect(code, seconds, pattern, MPIRUN, *options, "-n", str(ranks), self.program, case,
                           **{"EMU_TARGET": TARGET, **variables})

    def both(self):
        """Both ways to run the program, as sub-tests."""
        for run in (self.run_by_emu, self.run_by_mpirun):
            with self.subTest(run.__name__):
                yield run
