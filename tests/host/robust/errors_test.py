#!/usr/bin/env python3
"""Errors in the target, in the environment and in the program end the job with a message: jobs.py names the arguments."""
import pathlib
import re
import unittest

from jobs import ANY, DEADLY, EMU, MPIRUN, TARGET, JobTest


class Input(JobTest):
    def refused(self, target, pattern):
        """Rank 0 reports an error of the target once, for all ranks."""
        ended = self.expect(2, 20, pattern, MPIRUN, "-n", "3", self.program, "none",
                            EMU_TARGET=str(self.folder / target))
        self.once(ended, pattern)

    def written(self, name, text):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def test_targets(self):
        target = pathlib.Path(TARGET).read_text()
        self.written("empty.toml", "")
        self.written("binary.toml", pathlib.Path(EMU).read_bytes()[:4096])
        self.written("unit.toml", target.replace('"50us"', '"50KiB"'))
        self.written("small.toml", target.replace("count = 64", "count = 2"))
        self.refused("nowhere.toml", r"nowhere\.toml")
        self.refused("empty.toml", r"empty\.toml:1: the file is empty")
        self.refused("binary.toml", r"binary\.toml.*not a text file")
        self.refused("unit.toml", r"unit\.toml:[0-9]*: network\.latency: ")
        self.refused("small.toml", "3 ranks are more than the 2 slots")
        # Ranks that find that the memory of rank 0 is gone report no further error.
        for _ in range(3):
            ended = self.expect(2, 20, "12 ranks are more than the 2 slots", MPIRUN, "-genv", "LD_PRELOAD", DEADLY,
                                "-n", "12", self.program, "none", SLOW="yes",
                                EMU_TARGET=str(self.folder / "small.toml"))
            self.once(ended, "libemu: ")

    def test_environment(self):
        for nodes in ("0", "-1", "x", "2.5", "4x"):
            with self.subTest(nodes=nodes):
                ended = self.run_by_mpirun(
                    2, 20, re.escape(f"EMU_NODES: invalid number of nodes: {nodes} (expected 1 or more, or ranks)"), 3,
                    "returned", EMU_NODES=nodes)
                self.once(ended, "EMU_NODES")
        self.run_by_mpirun(2, 20, r"EMU_JITTER: invalid number of microseconds: much \(expected", 3, "returned",
                           EMU_JITTER="much")

    def test_arguments(self):
        self.expect(2, 20, r"invalid number of ranks: 0 \(expected 1 or more\)", EMU, "run", "--target", TARGET, "-n",
                    "0", self.program)
        self.expect(1, 20, "ran without libemu", EMU, "run", "--target", TARGET, "-n", "2", "/bin/true")


class Program(JobTest):
    def test_wrong_arguments(self):
        self.run_by_emu(1, 20, r"rank 1: MPI_Recv: .*32 bytes.*16", 2, "truncate")
        self.run_by_emu(ANY, 20, r"rank 0: MPI_Send: .*rank", 3, "out-of-range")
        ended = self.run_by_emu(0, 20, "predicted", 3, "returned")
        self.assertIn("alive", ended.out, "errors that are returned do not let the program go on")

    def refusal(self, run, ranks, case, rank, said_once, **variables):
        ended = run(1, 9 if variables else 20, f"rank {rank} called MPI_Open_port, which is not emulated: ", ranks,
                    case, **variables)
        self.once(ended, said_once)
        self.lacks(ended, r"Abort\(")

    def test_refused_function(self):
        for _ in range(3):
            for run in self.both():
                self.refusal(run, 4, "refused", "[0-3]", "which is not emulated")
            for nodes in "23":  # on several host nodes
                self.refusal(self.run_by_emu, 6, "refused", "[0-5]", "which is not emulated", EMU_NODES=nodes)
                self.refusal(self.run_by_emu, 6, "refused-on-last", "5", "libemu: ", EMU_NODES=nodes)

    def test_exit_without_finalize(self):
        for run in self.both():
            ended = run(1, 20, "rank 2 waits in MPI_Recv for any source", 3, "leave")
            self.matches(ended, "exited without MPI_Finalize: rank 1$")
            ended = run(0, 20, "", 3, "leave-well")
            # Under mpirun, lines of several ranks may be joined.
            self.assertEqual(ended.out.count("alive"), 3, str(ended))
        ended = self.run_by_emu(0, 20, "ranks 1, 2 exited without MPI_Finalize", 3, "leave-well")
        self.matches(ended, "predicted")

    def test_threads(self):
        self.run_by_emu(ANY, 20, "MPI_Send: called from a second thread", 3, "two-threads")
        ended = self.run_by_emu(ANY, 20, "deadlock: no rank can continue", 2, "threads-deadlock")
        self.matches(ended, "rank 0 waits in MPI_Recv for rank 1, tag 7$")
        self.matches(ended, "rank 1 waits in MPI_Recv for rank 0, tag [56]; "
                            "another thread of it waits in MPI_Recv for rank 0, tag [56]$")

    def test_requests_that_are_completed_twice(self):
        for case in ("waited-twice", "listed-twice"):
            self.run_by_emu(1, 20, r"rank [01]: MPI_Wait(all)?: another call, or another entry of the array, has completed "
                            "the request", 2, case)

    def test_aborts(self):
        ended = self.run_by_emu(9, 20, "line 5000 of what it says", 2, "aborts")
        self.assertEqual(ended.err.count("of what it says"), 5000, "what a program says before it aborts is lost")
        self.assertIn("and the result", ended.out)
        # With MPICH's message and exit code.
        self.run_by_mpirun(9, 20, r"application called MPI_Abort\(MPI_COMM_WORLD, 9\) - process 0", 2, "aborts")
        self.run_by_mpirun(44, 20, r"Abort\(300\) on node 1 .*: application called MPI_Abort\(a name, 300\) - process 0",
                           3, "aborts-group")


class Deadlock(JobTest):
    def test_ssend_cycle(self):
        for run in self.both():
            ended = run(1, 20, "rank 2 waits in MPI_Ssend for rank 0, tag 11", 3, "ssend-cycle")
            self.matches(ended, "rank 0 waits in MPI_Ssend for rank 1, tag 11")
            self.once(ended, "deadlock: no rank can continue")

    def test_ranks_that_have_finished(self):
        ended = self.run_by_emu(1, 20, "rank 1 waits in MPI_Recv for rank 0, tag 42", 4, "one-of-many")
        self.matches(ended, "finished already: 3 ranks")
        self.lacks(ended, "rank [023] waits")

    def test_calls(self):
        ended = self.run_by_emu(1, 20, "rank 0 waits in MPI_Probe for any source, tag 5", 4, "calls")
        self.matches(ended, r"rank 1 waits in MPI_Waitall for rank 0, tag 6 \(and 1 more request\)")
        self.matches(ended, "rank 2 waits in MPI_Recv for any source, any tag")
        self.matches(ended, "rank 3 waits in MPI_Barrier")

    def test_background_operation(self):
        """The message tells the operation and the missing rank."""
        ended = self.run_by_emu(1, 20, "rank 0 waits in MPI_Wait for MPI_Ibarrier, which waits for rank 1$", 3,
                                "missing")
        self.matches(ended, "rank 1 waits in MPI_Recv for rank 0, tag 5$")
        self.matches(ended, "rank 2 waits in MPI_Wait for rank 0, tag 6$")
        self.matches(ended, r"MPI_Ibarrier \(number 2 in the background of its communicator\) has not been called by "
                            "rank 1$")

    def test_collective_in_which_ranks_disagree(self):
        self.run_by_emu(1, 20, r"do not agree \(number 2 of its communicator\): ranks 0, 2 call MPI_Reduce with root 0 "
                               "and 8 bytes; rank 1 calls MPI_Reduce with root 1 and 8 bytes", 3, "other-root")


if __name__ == "__main__":
    unittest.main()
