#!/usr/bin/env python3
"""The Python module `emu`, compared with the command: equal numbers, and errors with their reasons.

    emu_test.py MODULES EMU MASE CONFIG
"""
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest

MODULES, EMU, MASE, CONFIG = (os.path.abspath(path) for path in sys.argv[1:5])
sys.path.insert(0, MODULES)
import emu  # noqa: E402

WORK = ["--size", 8, "--cost-per-pixel", "795us"]
FAST = os.path.join(CONFIG, "fast-ethernet-64.toml")


class Pandas:
    """A stand-in for pandas, with the parts that to_pandas() uses."""

    class DataFrame:
        def __init__(self, rows):
            self.rows = rows


class Targets(unittest.TestCase):
    def test_every_target_is_read_and_written_without_loss(self):
        for folder, _, files in os.walk(CONFIG):
            for name in files:
                if not name.endswith(".toml"):
                    continue
                target = emu.Target.load(os.path.join(folder, name))
                self.assertEqual(emu.Target.parse(target.text()).values, target.values, name)

    def test_by_name(self):
        self.assertEqual(emu.Target.load("fast-ethernet-64").values, emu.Target.load(FAST).values)
        with self.assertRaisesRegex(emu.EmuError, "there is no file \"nowhere\""):
            emu.Target.load("nowhere")

    def test_keys(self):
        target = emu.Target.parse('[network]\nlatency = "1us"\n[[node]]\ncount = 2\n[[node]]\ncount = 3\n')
        self.assertEqual(target["network.latency"], "1us")
        self.assertEqual(target["node.count"], [2, 3])
        self.assertEqual(target["node[1].count"], 3)
        self.assertIn("node[0].count", target)
        self.assertNotIn("node[2].count", target)
        self.assertNotIn("network.send.fixed", target)
        other = target.changed({"node.speed": 2, "network.send.fixed": "3us"})
        self.assertEqual(other["node.speed"], 2)
        self.assertEqual(other["network.send.fixed"], "3us")
        self.assertNotIn("node.speed", target)
        with self.assertRaises(KeyError):
            target["network.latency.more"] = 1

    def test_text_is_what_was_put_in(self):
        values = {"name": 'a "b" \\ é', "n": 1, "x": 0.5, "yes": True, "list": [1, 2], "t": {"in ner": {"a": "b"}},
                  "g": [{"k": 1, "sub": {"z": 2}}, {"k": 2}], "inline": [[{"a": 1}]]}
        self.assertEqual(emu.Target.parse(emu.Target(values).text()).values, values)

    def test_check(self):
        target = emu.Target.load(FAST)
        target.check()
        with self.assertRaisesRegex(emu.EmuError, "network.latency") as caught:
            target.changed({"network.latency": "fast"}).check()
        self.assertEqual(caught.exception.code, 2)
        self.assertEqual([name for name in os.listdir(CONFIG) if name.startswith(".emu-")], [])


class Verbs(unittest.TestCase):
    def test_run(self):
        run = emu.run(MASE, *WORK, ranks=4, target=FAST)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "json")
            subprocess.run([EMU, "run", "-n", "4", "--target", FAST, "--json", file, MASE, *map(str, WORK)], check=True,
                           capture_output=True)
            with open(file) as text:
                self.assertEqual(run.predicted_picoseconds, json.load(text)["predicted_picoseconds"])
        self.assertEqual(run.ranks, 4)
        self.assertEqual(len(run.per_rank), 4)
        self.assertEqual(max(rank.finish_picoseconds for rank in run.per_rank), run.predicted_picoseconds)
        self.assertIn("image 8 x 8", run.output)

    def test_errors(self):
        with self.assertRaisesRegex(emu.EmuError, "no such program") as caught:
            emu.run("./nowhere", ranks=2, target=FAST)
        self.assertEqual(caught.exception.code, 2)
        with self.assertRaises(subprocess.TimeoutExpired):
            emu.run("/bin/sleep", 60, ranks=1, target=FAST, timeout=0.5)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(subprocess.TimeoutExpired):
                emu.run("/bin/sleep", 60, ranks=1, target=FAST, timeout=1, environment={"TMPDIR": folder})
            self.assertEqual(os.listdir(folder), [])
        emu.set_command("/nowhere/emu")
        with self.assertRaises(FileNotFoundError):
            emu.run(MASE, ranks=2, target=FAST)
        emu.set_command(EMU)

    def test_study(self):
        target = emu.Target.load(FAST).changed({"network.latency": "10us"})
        study = emu.study(MASE, *WORK, "--task", "{T}", ranks=[2, 4, 8], target=target, sweep={"T": [1, 4]})
        self.assertEqual(len(study.points), 6)
        best = min(study.points, key=lambda point: point.predicted_seconds)
        self.assertEqual(study.optimum, best)
        self.assertEqual(study.point(4, T=4).predicted_seconds,
                         emu.run(MASE, *WORK, "--task", 4, ranks=4, target=target).predicted_seconds)
        with self.assertRaises(KeyError):
            study.point(3, T=4)
        self.assertIn("Optimum: ", study.text)
        self.assertTrue(study.why)

    def test_study_of_several_targets(self):
        study = emu.study(MASE, *WORK, ranks="2..4", target="fast-ethernet-64", vary={"network.latency": ["50us", "1ms"]})
        self.assertEqual([each.values["network.latency"] for each in study.variations], ["50us", "1ms"])
        self.assertEqual(study.optimum, study.variations[0].optimum)

    def test_points_that_fail_are_kept(self):
        study = emu.study(MASE, "--size", "{S}", ranks=2, target=FAST, sweep={"S": [8, "none"]})
        self.assertIsNone(study.point(2, S="none").predicted_seconds)
        self.assertTrue(study.point(2, S="none").failure)
        self.assertEqual(study.optimum.sweep, {"S": 8})

    def test_farm(self):
        farm = emu.farm(target=FAST, tasks=64, task_seconds="795us", ranks="2..8", chunk=[1, 2])
        self.assertEqual(len(farm.points), 14)
        self.assertEqual(farm.optimum, min(farm.points, key=lambda point: point.predicted_picoseconds))
        self.assertEqual(farm.tasks, 64)

    def test_scatter(self):
        plan = emu.scatter(target=FAST, items=1000, item_bytes=64, item_seconds="1ms", ranks=4)
        self.assertEqual(sum(plan.counts), 1000)
        self.assertEqual(plan.makespan_seconds, max(plan.finish_seconds))


class ToPandas(unittest.TestCase):
    def setUp(self):
        self.before = sys.modules.get("pandas")

    def tearDown(self):
        sys.modules.pop("pandas", None)
        if self.before is not None:
            sys.modules["pandas"] = self.before

    def test_without_pandas(self):
        sys.modules["pandas"] = None  # then its import fails
        farm = emu.farm(target=FAST, tasks=8, task_seconds=0.001, ranks=4)
        with self.assertRaisesRegex(ImportError, "apt install python3-pandas"):
            farm.to_pandas()

    def test_rows(self):
        sys.modules["pandas"] = types.SimpleNamespace(DataFrame=Pandas.DataFrame)
        study = emu.study(MASE, *WORK, "--task", "{T}", ranks=[2, 3], target=FAST, sweep={"T": [1, 4]},
                          vary={"network.latency": ["10us", "50us"]})
        rows = study.to_pandas().rows
        self.assertEqual(len(rows), 8)
        self.assertEqual({(row["network.latency"], row["ranks"], row["T"]) for row in rows},
                         {(latency, ranks, T) for latency in ("10us", "50us") for ranks in (2, 3) for T in (1, 4)})
        self.assertTrue(all(row["predicted_seconds"] > 0 for row in rows))
        plan = emu.scatter(target=FAST, items=10, item_bytes=8, item_seconds="1ms", ranks=3)
        self.assertEqual([row["rank"] for row in plan.to_pandas().rows], [0, 1, 2])
        run = emu.run(MASE, *WORK, ranks=2, target=FAST)
        self.assertEqual(len(run.to_pandas().rows), 2)


class Documents(unittest.TestCase):
    def test_all_that_is_public_has_a_docstring(self):
        for name in emu.__all__:
            thing = getattr(emu, name)
            self.assertTrue(thing.__doc__, name)
            if isinstance(thing, type):
                self.assertFalse(dataclasses.is_dataclass(thing) and thing.__doc__.startswith(thing.__name__ + "("), name)
                for member, value in vars(thing).items():
                    if callable(value) and not member.startswith("_"):
                        self.assertTrue(value.__doc__, f"{name}.{member}")


if __name__ == "__main__":
    emu.set_command(EMU)
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
    unittest.main(argv=sys.argv[:1])
