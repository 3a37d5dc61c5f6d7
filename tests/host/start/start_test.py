#!/usr/bin/env python3
"""Start and end of the ranks of a program under emu run.

    start_test.py EMU TARGET STARTED EARLY ENDS ENDS_WITH_LIBRARY

STARTED: started.c. EARLY: early.cc. ENDS: ends.c, also with a library of its own. Tests of equal behaviour run in both
ways: by fork, and by mpirun, which an option for it selects.
"""
import collections
import concurrent.futures
import ctypes
import mmap
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
import unittest.mock

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from processes import lasting_processes_of, own_copy, processes_of  # noqa: E402

EMU, TARGET, STARTED, EARLY, ENDS, ENDS_WITH_LIBRARY = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:7])
FORK, MPIRUN = [], ["--mpirun", "-bind-to none"]
BOTH = (FORK, MPIRUN)
# MPICH's handles of MPI_COMM_WORLD, MPI_INT and MPI_SUM.
PYTHON = """
import ctypes, os
mpi, world, integer, total = ctypes.CDLL(None), 0x44000000, 0x4c000405, 0x58000003
rank, sum = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
mpi.MPI_Allreduce(ctypes.byref(rank), ctypes.byref(sum), 1, integer, total, world)
mpi.MPI_Finalize()
forked = os.readlink("/proc/%d/exe" % os.getppid()) == os.readlink("/proc/self/exe")
if rank.value == 0: print("sum", sum.value, "forked" if forked else "started")
"""


def command(ranks, *program, way=FORK, log="info"):
    return [EMU, "run", "-n", str(ranks), "--target", TARGET, "--log-level", log, *way, *program]


def run(ranks, *program, way=FORK, log="info", stdin=""):
    """Its output and its exit code; fails after 20 seconds."""
    return subprocess.run(command(ranks, *program, way=way, log=log), input=stdin, capture_output=True, text=True,
                          timeout=20, check=False)


def setUpModule():
    global STARTED
    STARTED = own_copy(STARTED, EMU)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup the jobs would ignore it, too


class Start(unittest.TestCase):
    def test_one_process_becomes_all_ranks(self):
        done = run(3, STARTED, "none", log="debug")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("mpirun", done.stderr)

    def test_input_goes_to_rank_0(self):
        done = run(3, STARTED, "input", stdin="a line\nanother\n")
        self.assertEqual(sorted(done.stdout.splitlines()),
                         ["rank 0 reads a line", "rank 1 reads nothing", "rank 2 reads nothing"])

    def test_closed_standard_files(self):
        for closed in (0, 1):
            done = subprocess.run(command(3, STARTED, "input"), stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=20, check=False,
                                  preexec_fn=lambda file=closed: os.close(file))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(re.findall("reads nothing", done.stdout)), 0 if closed == 1 else 3)

    def test_lines_stay_whole(self):
        done = run(8, STARTED, "lines")
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 1600)
        of_rank = collections.defaultdict(list)
        for line in lines:
            match = re.fullmatch(r"<(\d) (\d+) \.{40}>", line)
            self.assertTrue(match, line)
            of_rank[match[1]].append(int(match[2]))
        for numbers in of_rank.values():
            self.assertEqual(numbers, list(range(200)))

    def test_exit_codes_are_joined(self):
        for way in BOTH:
            self.assertEqual(run(3, STARTED, "codes", way=way).returncode, 7)
        self.assertEqual(run(64, STARTED, "codes").returncode, 7)  # many end at once

    def test_many_ranks_have_few_mappings_of_libraries(self):
        """The segments of MPICH are merged, those of the program are not."""
        for file, merged in (("libmpich", True), ("/started", False)):
            few, many = (int(run(ranks, STARTED, "mappings", file).stdout) for ranks in (3, 40))
            self.assertGreater(few, 3)
            self.assertEqual(many, 2 if merged else few)

    def test_initialised_and_finalised(self):
        for way in BOTH:
            done = run(2, STARTED, "flags", way=way)
            self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_calls_outside_init_and_finalize(self):
        for when, begin, functions in (("before", "MPI_Init", ("MPI_Comm_rank", "MPI_Barrier", "MPI_Finalize")),
                                       ("after", "MPI_Finalize", ("MPI_Barrier", "MPI_Finalize"))):
            for function in functions:
                done = run(2, STARTED, when, function)
                self.assertRegex(done.stderr, f"rank [01]: {function}: called {when} {begin}")
                self.assertEqual(done.returncode, 1)
                self.assertNotEqual(run(2, STARTED, when, function, way=MPIRUN).returncode, 0)

    def test_levels_of_threads(self):
        for way in BOTH:
            for level in range(4):  # MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE
                done = run(2, STARTED, "levels", str(level), way=way)
                self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_second_thread_calls(self):
        for way in BOTH:
            done = run(3, STARTED, "second-thread", way=way)
            self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_callbacks_of_self(self):
        for way in BOTH:
            done = run(3, STARTED, "callbacks", way=way)
            self.assertEqual((done.returncode, done.stdout), (0, "deleted, sum 3\n"))

    def test_static_objects_call(self):
        for way in BOTH:
            done = run(4, EARLY, way=way)
            self.assertEqual((done.returncode, done.stdout), (0, "sum 4\n"))

    def test_exit_handlers_and_destructors_run(self):
        of_program = ["destructor of the program", "exit handler"]
        for program, lines in ((ENDS, of_program), (ENDS_WITH_LIBRARY, ["destructor of the library", *of_program])):
            for way in BOTH:
                done = run(3, program, way=way)
                said = re.findall("|".join(lines), done.stdout)  # mpirun may mix the lines of several ranks
                self.assertEqual((done.returncode, sorted(said)), (4, sorted(3 * lines)), done.stderr)

    def test_python_is_forked(self):
        for way in BOTH:
            done = run(3, sys.executable, "-c", PYTHON, way=["--preload", *way])
            how = "forked" if way is FORK else "started"
            self.assertEqual((done.returncode, done.stdout), (0, f"sum 3 {how}\n"), done.stderr)

    def test_python_opens_mpi_itself(self):
        """The functions of the library that Python opens are not those of libemu."""
        script = PYTHON.replace("CDLL(None)", "CDLL('libmpich.so.12')")
        for way in BOTH:
            done = run(3, sys.executable, "-c", script, way=["--preload", *way])
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("expected ctypes.CDLL(None)", done.stderr)

    def test_killed_rank_ends_the_job(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGALRM):
            begun = time.monotonic()
            done = run(4, STARTED, "killed", str(int(number)))
            self.assertLess(time.monotonic() - begun, 5)
            self.assertEqual(done.returncode, int(number))
            self.assertIn(f"rank 1 was killed by signal {int(number)} ({signal.strsignal(number)})", done.stderr)
        self.assertEqual(processes_of(STARTED), [])

    def test_rank_is_killed_after_finalize(self):
        """The prediction is known then. The other ranks end at once."""
        for rank in (0, 1, 3, 1, 3, 1, 3):
            begun = time.monotonic()
            done = run(8, STARTED, "killed-after", str(rank))
            self.assertLess(time.monotonic() - begun, 5)
            self.assertEqual(done.returncode, signal.SIGABRT, done.stderr)
            self.assertIn(f"rank {rank} was killed by signal 6 (Aborted)", done.stderr)
            self.assertIn("emu: predicted", done.stderr)
        self.assertEqual(processes_of(STARTED), [])

    def test_rank_calls_after_finalize(self):
        """The prediction is known then. Many jobs at once, since the first rank has to be slow to write it."""
        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            jobs = [pool.submit(run, 2, STARTED, "called-after", "1") for _ in range(40)]
        for done in (job.result() for job in jobs):
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("rank 1: MPI_Barrier: called after MPI_Finalize", done.stderr)
            self.assertIn("emu: predicted", done.stderr)
        self.assertEqual(processes_of(STARTED), [])

    def test_rank_that_never_begins(self):
        for way in BOTH:
            with tempfile.TemporaryDirectory() as folder:
                done = run(3, STARTED, "outside", folder + "/first", way=way)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"rank [0-2] ended without MPI_Init, and rank [0-2] waits for it there")

    def test_several_ranks_never_begin(self):
        """Programs of a job that end before MPI_Init, with and without libemu, by emu run and by mpirun itself."""
        ends = ["sh", "-c", "exit 3"]
        mpirun = shutil.which("mpirun.mpich") or "mpirun"
        for programs, message in (
                ([*ends, ":", "-n", "2", STARTED, "none"], "rank 0 ended without MPI_Init, and rank 1 waits for it there"),
                ([STARTED, "none", ":", "-n", "2", *ends], "ranks 1, 2 ended without MPI_Init, and rank 0 waits for them there"),
                ([STARTED, "outside", "/dev/null", ":", "-n", "2", "sh", "-c", f"sleep 3; exec {STARTED} none"], "")):
            for start in (command(1), [mpirun, "-n", "1"]):
                done = subprocess.run([*start, *programs], capture_output=True, text=True, timeout=20, check=False,
                                      stdin=subprocess.DEVNULL, env={**os.environ, "EMU_TARGET": TARGET})
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("ended without MPI_Init"), 1 if message else 0, done.stderr)
                self.assertEqual(done.returncode != 0, bool(message), done.stderr)

    def test_signals_end_the_job(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for victim in ("emu", "rank 0"):
                with subprocess.Popen(command(3, STARTED, "waits"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True) as job:
                    self.assertEqual(job.stdout.readline(), "waiting\n")
                    if victim == "emu":
                        job.send_signal(number)
                    else:
                        os.kill(max(processes_of(STARTED)), signal.SIGKILL)
                    job.communicate(timeout=20)
                    self.assertNotEqual(job.returncode, 0)
                self.assertEqual(processes_of(STARTED), [])

    def test_many_ranks_share_huge_pages(self):
        """Huge pages of code, and of shared memory."""
        huge, collapse = 2 << 20, 25  # bytes; MADV_COLLAPSE
        for flags in (mmap.MAP_PRIVATE, mmap.MAP_SHARED):
            with mmap.mmap(-1, 2 * huge, flags | mmap.MAP_ANONYMOUS) as memory:
                begin = -ctypes.addressof(ctypes.c_char.from_buffer(memory)) % huge
                memory[begin] = 1
                try:
                    memory.madvise(collapse, begin, huge)
                except OSError as error:
                    self.skipTest(f"this host makes no huge page: {error}")
        with subprocess.Popen(command(40, STARTED, "waits"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as job:
            self.assertEqual(job.stdout.readline(), "waiting\n")
            for process in processes_of(STARTED):
                maps = pathlib.Path(f"/proc/{process}/smaps").read_text()
                for mapping, pages in (("r-xp 0+ 00:00 0 *", "AnonHugePages"), ("rw-s .*/memfd:libemu.*", "ShmemPmdMapped")):
                    found = re.search(rf"^\S+ {mapping}\n(?:\w+:.*\n)*?{pages}: +(\d+) kB$", maps, re.MULTILINE)
                    self.assertGreater(int(found[1]) if found else 0, 0, mapping)
                self.assertNotRegex(maps, r" r-xp .*/libemu\.so")
            job.send_signal(signal.SIGTERM)
            job.communicate(timeout=20)

    def test_no_library_takes_hangups(self):
        """A handler of a library would keep SIGHUP from a rank, and the rank would go on."""
        with subprocess.Popen(command(3, STARTED, "waits"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as job:
            self.assertEqual(job.stdout.readline(), "waiting\n")
            for process in processes_of(STARTED):
                status = pathlib.Path(f"/proc/{process}/status").read_text()
                caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
                self.assertEqual(int(caught, 16) & 1 << (signal.SIGHUP - 1), 0)
            job.send_signal(signal.SIGHUP)
            job.communicate(timeout=20)
        self.assertEqual(job.returncode, 129)

    def test_emu_that_is_killed_leaves_nothing(self):
        """Its processes end, and the next run removes its temporary folder, but not the folder of a run that lasts."""
        def waiting(what):
            job = subprocess.Popen(command(3, STARTED, what), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(job.stdout.readline(), "waiting\n")
            return job

        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, TMPDIR=folder):
            for what in ("waits", "ignores"):
                with waiting(what) as job:
                    job.kill()
                    try:
                        job.communicate(timeout=20)
                    except subprocess.TimeoutExpired:  # the ranks still have the pipes
                        pass
                left = processes_of(STARTED)
                for process in left:
                    os.kill(process, signal.SIGKILL)
                self.assertEqual(left, [], what)
            with waiting("waits") as job:
                self.assertEqual(run(2, STARTED, "none").returncode, 0)
                self.assertEqual(len(os.listdir(folder)), 1)
                job.terminate()
                job.communicate(timeout=20)
            self.assertEqual(os.listdir(folder), [])

    def test_number_of_an_ended_rank_is_used_again(self):
        """A signal for the job does not reach another process that has the process number of an ended rank."""
        last = pathlib.Path("/proc/sys/kernel/ns_last_pid")
        if not os.access(last, os.W_OK):
            self.skipTest("process numbers cannot be chosen here")
        with tempfile.TemporaryDirectory() as folder:
            first, others = pathlib.Path(folder, "first"), pathlib.Path(folder, "others")
            script = ("import os, sys, time\n"
                      "try: file = os.open(sys.argv[1], os.O_CREAT | os.O_EXCL | os.O_WRONLY)\n"
                      "except FileExistsError: open(sys.argv[2], 'a').write('x'); time.sleep(60)\n"
                      "else: os.write(file, b'%d\\n' % os.getpid())\n")
            with subprocess.Popen(command(4, sys.executable, "-c", script, str(first), str(others), way=["--preload"]),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
                end = time.monotonic() + 20
                while not others.exists() or len(others.read_text()) < 3 or not first.read_text():
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.01)
                number = int(first.read_text())
                while os.path.exists(f"/proc/{number}"):
                    time.sleep(0.01)
                bystander = None
                for _ in range(1000):  # another process of the host may take the number before
                    last.write_text(str(number - 1))
                    bystander = subprocess.Popen(["sleep", "60"])
                    self.addCleanup(bystander.wait)
                    self.addCleanup(bystander.kill)
                    if bystander.pid == number:
                        break
                    bystander.kill()
                    bystander.wait()
                self.assertEqual(bystander.pid, number)
                job.send_signal(signal.SIGTERM)
                job.communicate(timeout=20)
                self.assertIsNone(bystander.poll())

    def test_children_of_ranks_end_with_the_job(self):
        for way in BOTH:
            done = run(3, STARTED, "child-at-abort", way=way)
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stdout, r"child \d+\n")
            # mpirun kills the ranks, but does not wait until they have ended.
            self.assertEqual((processes_of if way == FORK else lasting_processes_of)(STARTED), [])

    def test_ranks_go_to_the_background(self):
        for ranks, way in (("0", FORK), ("1", FORK), ("012", FORK), ("1", MPIRUN)):
            done = run(3, STARTED, "in-background", ranks, "", way=way)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("emu: predicted", done.stderr)
        for end, code, message in (("late", 0, "predicted"), ("code", 3, "predicted"),
                                   ("killed", 9, r"rank 1 was killed by signal 9 \(Killed\)"),
                                   ("outside", 1, "rank 1 ended without MPI_Init, and rank [02] waits for it there")):
            for ranks in ("1", "012"):
                done = run(3, STARTED, "in-background", ranks, end)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertRegex(done.stderr, message)
                self.assertEqual(processes_of(STARTED), [])

    def test_sessions_are_opened_again(self):
        """The time between two sessions counts, that after the last one does not."""
        for way in BOTH:
            for end, code, sleeps in (("", 0, 2), ("code", 3, 2), ("_exit", 0, 2), ("world", 0, 3)):
                done = run(3, STARTED, "sessions", end, way=way)
                self.assertEqual((done.returncode, done.stdout), (code, "".join(f"session {i} sum 3\n" for i in range(3))),
                                 done.stderr)
                self.assertIn(f"sleep {sleeps}00 ms", done.stderr)

    def test_program_without_environment(self):
        done = run(3, STARTED, "without-environment")
        self.assertEqual((done.returncode, done.stdout), (0, "sum 3\n"), done.stderr)

    def test_wrong_number_of_ranks(self):
        done = subprocess.run([STARTED, "none"], capture_output=True, text=True, timeout=20, check=False,
                              env={**os.environ, "EMU_RANKS": "0", "EMU_TARGET": TARGET})
        self.assertEqual(done.returncode, 2)
        self.assertIn('EMU_RANKS: invalid number of ranks: "0" (expected 1 or more)', done.stderr)


if __name__ == "__main__":
    del sys.argv[1:7]
    unittest.main()
