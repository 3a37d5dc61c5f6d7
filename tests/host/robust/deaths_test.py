#!/usr/bin/env python3
"""Ranks, and processes that manage ranks, that die or are interrupted end the job soon: jobs.py names the arguments."""
import itertools
import os
import pathlib
import signal
import time
import unittest

from jobs import ANY, DEADLY, EMU, HELPERS, MPIRUN, TARGET, JobTest


class Death(JobTest):
    def test_rank_exits(self):
        for run in self.both():
            run(3, 12, "rank 1 exits without MPI_Finalize", 3, "vanish")
        self.run_by_mpirun(14, 12, "rank 1 exits without MPI_Finalize", 3, "vanish-in-handler")
        self.run_by_mpirun(0, 12, "", 3, "children")

    def test_rank_is_killed(self):
        """While others communicate, and while they sleep."""
        for case in ("killed", "killed-asleep"):
            with self.subTest(case):
                ended = self.run_by_emu(9, 12, r"libemu: error: rank 3 was killed by signal 9 \(Killed\)", 4, case)
                self.lacks(ended, "predicted")
                ended = self.run_by_mpirun(9, 12, "", 4, case)
                self.assertIn("Killed (signal 9)", ended.out + ended.err, "mpirun does not say by which signal")

    def test_helpers_of_mpirun(self):
        # mpirun's exit code depends on which helper ends first.
        for case, nodes in itertools.product(("killed", "killed-asleep", "aborts-group", "vanish", "leave"), "12"):
            with self.subTest(case, nodes=nodes):
                self.run_by_mpirun(ANY, 12, "", 4, case, *HELPERS, EMU_NODES=nodes)
        # mpirun returns the program's exit code, and everything ends at once.
        for code, case in ((3, "vanish"), (14, "vanish-in-handler"), (44, "aborts-group"), (0, "children"),
                           (0, "leave-well")):
            with self.subTest(case, code=code):
                self.run_by_mpirun(code, 5, "", 4, case, *HELPERS)

    def test_rank_dies_in_init(self):
        """When MPICH starts, and after all ranks have found each other."""
        for when, how, rank, helpers in itertools.product(("early", "late"), ("exit", "_exit", "kill"), "03",
                                                          ([], HELPERS)):
            with self.subTest(when=when, how=how, rank=rank, helpers=helpers):
                # mpirun reports a killed rank in its own words.
                ended = self.run_by_mpirun(ANY if how == "kill" else 5, 6, "", 4, "none", *helpers, "-genv",
                                           "LD_PRELOAD", DEADLY, EMU_CORES="2", DIES=f"{when}:{how}:{rank}")
                if how != "kill":
                    self.assertIn(f"rank {rank} exits in MPI_Init", ended.out + ended.err)


class Interrupt(JobTest):
    def started(self, *command, **variables):
        """The job, once rank 0 has started."""
        job = self.launched(command, variables)
        self.addCleanup(job.kill)
        deadline = time.monotonic() + 15
        while "alive" not in self.said("out"):
            self.assertLess(time.monotonic(), deadline, f"{command} did not start: {self.said('err')}")
            time.sleep(0.1)
        return job

    def interrupt(self, *command, **variables):
        """An interrupt from the keyboard: the signal reaches the whole group."""
        job = self.started(*command, **variables)
        os.killpg(job.pid, signal.SIGINT)
        code = job.wait(6)
        self.nothing_is_left()
        return code

    def test_interrupt(self):
        self.assertNotEqual(self.interrupt(EMU, "run", "--target", TARGET, "-n", "4", self.program, "busy"), 0)
        # Hydra by itself sometimes reports success.
        for helpers in ([], HELPERS):
            self.interrupt(MPIRUN, *helpers, "-n", "4", self.program, "busy", EMU_TARGET=TARGET)

    def test_process_manager_dies(self):
        """No other process would end the ranks."""
        for nodes, case in (("1", "asleep"), ("2", "asleep"), ("2", "busy")):
            with self.subTest(case, nodes=nodes):
                job = self.started(MPIRUN, "-n", "4", self.program, case, EMU_NODES=nodes, EMU_TARGET=TARGET)
                manager = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()[0]
                self.assertEqual(os.path.basename(os.readlink(f"/proc/{manager}/exe")), "hydra_pmi_proxy")
                os.kill(int(manager), signal.SIGKILL)
                self.nothing_is_left()
                job.kill()
                job.wait()


if __name__ == "__main__":
    unittest.main()
