#!/usr/bin/env python3
"""Ranks that are forked on several hosts: a process of the process manager on each, which forks its share.

    hosts_test.py EMU TARGET STARTED MASE

STARTED: started.c. The hosts are made-up names of this machine: each process of the process manager counts as a host.
"""
import collections
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from processes import lasting_processes_of, own_copy  # noqa: E402

EMU, TARGET, STARTED, MASE = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:5])


def setUpModule():
    global STARTED
    STARTED = own_copy(STARTED, EMU)


class Hosts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_on(self, hosts, ranks, *program, options=(), stdin=""):
        file = self.folder / "hosts"
        file.write_text("".join(f"host{h}:4\n" for h in range(hosts)))
        environment = {**os.environ, "HYDRA_HOST_FILE": str(file), "HYDRA_LAUNCHER": "fork"}
        return subprocess.run([EMU, "run", "-n", str(ranks), "--target", TARGET, *options, *program], input=stdin,
                              capture_output=True, text=True, timeout=40, check=False, env=environment)

    def record(self, name):
        return (self.folder / name).read_text()

    def test_same_picoseconds(self):
        work = (MASE, "--size", "24", "--cost-per-pixel", "795us")
        for ranks in (3, 8):
            plain = subprocess.run([EMU, "run", "-n", str(ranks), "--target", TARGET, "--json", self.folder / "one", *work],
                                   capture_output=True, text=True, timeout=40, check=True)
            self.assertEqual(plain.returncode, 0)
            for hosts in (1, 2, 3):
                done = self.run_on(hosts, ranks, *work, options=("--json", self.folder / "several"))
                self.assertEqual(done.returncode, 0, done.stderr)
                finishes = [[line for line in self.record(name).splitlines() if "picoseconds" in line]
                            for name in ("one", "several")]
                self.assertGreater(len(finishes[0]), ranks)
                self.assertEqual(*finishes, f"{ranks} ranks on {hosts} hosts")

    def test_a_process_for_each_host_talks_to_the_manager(self):
        done = self.run_on(3, 7, STARTED, "parent", options=("--log-level", "debug"))
        ranks_of_processes = collections.Counter(done.stdout.splitlines())
        self.assertEqual((done.returncode, sorted(ranks_of_processes.values())), (0, [2, 2, 3]), done.stderr)
        self.assertEqual([line for line in ranks_of_processes if not line.startswith("forked by ")], [])

    def test_fewer_ranks_than_hosts(self):
        done = self.run_on(4, 2, STARTED, "parent")
        self.assertEqual((done.returncode, len(set(done.stdout.splitlines()))), (0, 2), done.stderr)
        self.assertNotIn("started by ", done.stdout)

    def test_input_goes_to_rank_0(self):
        done = self.run_on(2, 4, STARTED, "input", stdin="a line\n")
        self.assertEqual(sorted(done.stdout.splitlines()),
                         ["rank 0 reads a line", *(f"rank {rank} reads nothing" for rank in (1, 2, 3))])

    def test_exit_codes_are_joined(self):
        self.assertEqual(self.run_on(2, 3, STARTED, "codes").returncode, 7)

    def test_callbacks_of_self(self):
        done = self.run_on(2, 3, STARTED, "callbacks")
        self.assertEqual((done.returncode, done.stdout), (0, "deleted, sum 3\n"))

    def test_second_thread_calls(self):
        done = self.run_on(2, 3, STARTED, "second-thread")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_killed_rank_ends_the_job(self):
        for hosts in (2, 4):  # rank 1 is on the first host, and on the second
            begun = time.monotonic()
            done = self.run_on(hosts, 4, STARTED, "killed", str(int(signal.SIGKILL)))
            self.assertLess(time.monotonic() - begun, 10)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("rank 1 was killed by signal 9 (Killed)", done.stdout + done.stderr)
            self.assertEqual(lasting_processes_of(STARTED), [])

    def test_ranks_that_never_begin(self):
        """The ranks whose numbers are in the argument of "outside-on" end."""
        for outside, message in (("23", "ranks 2, 3 ended without MPI_Init, and rank 0 waits for them there"),
                                 ("01", "ranks 0, 1 ended without MPI_Init, and rank 2 waits for them there")):
            done = self.run_on(2, 4, STARTED, "outside-on", outside)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stderr.count(message), 1, done.stderr)
            self.assertEqual(done.stderr.count("ended without"), 1, done.stderr)
        done = self.run_on(2, 4, STARTED, "outside-on", "0123")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("ran without libemu, or ended before MPI_Init", done.stderr)

    def test_no_rank_of_a_host_begins(self):
        """Ranks that mpirun has started: those whose numbers are in the argument of "outside-on" end."""
        hosts = ["-launcher", "fork", "-hosts", "host0:2,host1:2,host2:2"]
        ways = ([shutil.which("mpirun.mpich") or "mpirun", *hosts, "-n", "6"],
                [EMU, "run", "-n", "6", "--target", TARGET, "--mpirun", " ".join(hosts)])
        for way in ways:
            # Of two hosts one may be noticed before the ranks of the other have ended.
            for outside, message in (("23", "ranks 2, 3 ended without MPI_Init, and rank 0 waits for them there"),
                                     ("0145", "ranks (0, 1|4, 5|0, 1, 4, 5) ended without MPI_Init, and rank 2 waits")):
                done = subprocess.run([*way, STARTED, "outside-on", outside], capture_output=True, text=True, timeout=20,
                                      check=False, env={**os.environ, "EMU_TARGET": TARGET})
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, message)
                self.assertEqual(done.stderr.count("ended without"), 1, done.stderr)
        done = subprocess.run([*ways[0], STARTED, "outside-on", "012345"], capture_output=True, text=True, timeout=20,
                              check=False, env={**os.environ, "EMU_TARGET": TARGET})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_too_few_ranks_for_the_hosts(self):
        done = subprocess.run(["mpirun", "-n", "2", STARTED, "none"], capture_output=True, text=True, timeout=40, check=False,
                              env={**os.environ, "EMU_RANKS": "1", "EMU_TARGET": TARGET})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("EMU_RANKS: invalid number of ranks: 1 (expected at least one for each of 2 hosts)",
                      done.stdout + done.stderr)


if __name__ == "__main__":
    del sys.argv[1:5]
    unittest.main()
