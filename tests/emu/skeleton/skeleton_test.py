#!/usr/bin/env python3
"""A skeleton predicts the program's own run, and is itself a program.

    skeleton_test.py MPIRUN EMU TARGET KERNELS LOOPS MASE
"""
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.append(str(pathlib.Path(__file__).parents[2]))
from commands import check, folder, run, write  # noqa: E402

mpirun, emu, target, kernels, loops, mase = sys.argv[1:]
for name in "EMU_LOG", "EMU_TARGET", "EMU_TRACE", "EMU_RECORD", "EMU_JITTER", "EMU_SKELETON":
    os.environ.pop(name, None)
JACOBI = kernels, "jacobi", "--size", 50, "--rounds", 100, "--point", "20ns"


def skeleton(*words, code=0):
    return run(emu, "skeleton", *words, code=code)


def with_json(*command, on=target):
    """Runs `command`, which begins with a verb, on a target. Its JSON, and all that it said."""
    verb, words = (command[:2], command[2:]) if command[0] == "skeleton" else (command[:1], command[1:])
    ended = run(emu, *verb, "--target", on, "--json", folder / "json", *words)
    return json.loads((folder / "json").read_text()), ended.said


def time_of_program(ranks, *program):
    return with_json("run", "-n", ranks, *program)[0]["predicted_seconds"]


def prediction(*words, on=target):
    """The JSON of the prediction by a skeleton."""
    return with_json("skeleton", "run", *words, on=on)[0]


def predicted(*words):
    return prediction(*words)["predicted_seconds"]


def record(name, ranks, *program, on=("--target", target)):
    """The path of a recording, and what the recorder said."""
    return folder / name, skeleton("record", "-n", ranks, *on, "-o", folder / name, *program).said


def compiled(name, *options):
    run("mpicc.mpich", *options, "-o", folder / name, folder / f"{name}.c", "-lm")
    return folder / name


def near(seconds, expected, share, what):
    """Checks that a time differs by at most this share of the expected one."""
    check(abs(seconds - expected) <= share * expected, f"{what}: {seconds} s, not {expected} s")


def check_equal_on_fibers(*words, on=target):
    """On fibers a skeleton predicts the time of its C program run by processes, to the last digit."""
    fibers, processes = prediction(*words, on=on), prediction("--processes", *words, on=on)
    del fibers["host_seconds"], processes["host_seconds"]
    check(fibers == processes, "on fibers another prediction:", *words, fibers, processes)


def check_equal_work():
    """The recorder measures the speed of this machine by the function by which skeletons compute."""
    sources = pathlib.Path(__file__).parents[3] / "apps/emu/skeleton"
    texts = [re.search(rf"^{kind} (double emu_work\(.*?^}})", (sources / file).read_text(), re.MULTILINE | re.DOTALL)
             for kind, file in (("inline", "recording/work.h"), ("static", "generate/prelude.h"))]
    check(all(texts) and texts[0][1] == texts[1][1], "emu_work of generate/prelude.h is not that of recording/work.h")


def check_prediction():
    """Recording declared work changes no instant; the skeleton is shorter, and predicts the program's time. The paths
    of the recording and of the skeleton's text."""
    program = time_of_program(6, *JACOBI)
    recording, said = record("rec", 6, *JACOBI)
    near(float(re.search(r"([0-9.]+) ms of", said)[1]) / 1000, program, 1e-4, "recording changes the time")
    text = folder / "skeleton"
    check(")x" in skeleton("compress", "-o", text, recording).out, "no loop")
    whole = prediction("--scale", 10, recording)
    near(whole["predicted_seconds"], program, 0.03, "the skeleton of a recording")
    check(predicted("--scale", 10, text) == whole["predicted_seconds"], "the text is not the same skeleton")
    check(whole["skeleton_seconds"] <= 0.4 * program, "the skeleton is not shorter")
    return recording, text


def check_local_calls():
    """Local actions of a rank are not part of a skeleton, and actions that a skeleton cannot contain are named."""
    for call, refusal in (("MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)", None),
                          ("MPI_Ibarrier(MPI_COMM_WORLD, &request)", "MPI_Ibarrier, which a skeleton cannot have")):
        write("own.c", f"""#include <mpi.h>
int main(int argc, char** argv) {{
  int begun = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Init(&argc, &argv);
  MPI_Initialized(&begun);
  for (int i = 0; i < 20; ++i) MPI_Barrier(MPI_COMM_WORLD);
  {call};
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return MPI_Finalize();
}}
""")
        shutil.rmtree(folder / "own.rec", ignore_errors=True)
        ended = skeleton("record", "-n", 2, "--target", target, "-o", folder / "own.rec", compiled("own"), code=None)
        right = ended.code != 0 and refusal in ended.said if refusal else ended.code == 0
        check(right, f"{call}: {ended.code}: {ended.said}")


def check_uneven_work():
    """Half of the durations are half of the mean, the others one and a half. If all ranks vary together, the sum
    follows from the mean; if each of four varies by itself, the longest of them is long in 15 of 16 times."""
    def steps(name, classes):
        return write(name, "skeleton 1\nranks 4\nseconds 1\nevents 4\nloop 640\n"
                           f"  barrier work=0.001{classes} inside=0 times=640\nend\nend\n")
    halves = " classes=0.5/0.5/0.5/0.5/1.5/1.5/1.5/1.5/1.5/1.5/1.5 together="
    even, alone, together = steps("even", ""), steps("alone", halves + "0"), steps("together", halves + "1")
    for scale in 1, 10:
        mean = predicted("--scale", scale, even)
        near(predicted("--scale", scale, together), mean, 1e-4, "together")
        near(predicted("--scale", scale, alone), mean + 0.64 * 7 / 16, 0.03, "each by itself")
    for text in alone, together:
        check_equal_on_fibers("--scale", 10, text)


def check_as_program(text):
    """The skeleton as a program: its reports, records and studies equal those of its C program."""
    page = folder / "page.html"
    of_text, said = with_json("run", "--report", page, text, "--scale", 5)
    check("critical path" in said and "skeleton" in page.read_text(), f"emu run of a skeleton: {said}")
    skeleton("build", "--scale", 5, "-o", folder / "five.c", text)
    of_program, _ = with_json("run", "--preload", "-n", 6, compiled("five", "-O2"))
    for prediction_of in of_text, of_program:
        del prediction_of["host_seconds"], prediction_of["program"]
    check(of_text == of_program, "emu run of a skeleton is not the run of its C program")
    study = run(emu, "study", "--target", target, "--vary", "network.latency=20us,80us", text)
    check("80us" in study.said, f"study of a skeleton: {study.said}")


def check_all_operations():
    """Collective operations of all kinds, communicators, messages of all kinds: as text, since no kernel has all."""
    events = """communicator comm=0 slot=2 peer=0,1,0,1,0,1 tag=3,2,1,0,5,4 work=1e-05
allreduce comm=2 bytes=4000 unit=8 work=0
bcast comm=2 peer=1 bytes=20000 work=1e-05*3,2e-05*3
barrier work=0
reduce peer=2 bytes=800 unit=4 work=0
allreduce bytes=132 unit=12 work=0
reduce peer=2 bytes=800 unit=16 work=0
scan bytes=60 unit=20 work=0
scan bytes=64 unit=8 work=0
exscan bytes=64 unit=8 work=0
gather peer=3 bytes=300 work=0
scatter peer=3 bytes=300 work=0
allgather bytes=300 work=0
alltoall bytes=300 work=0
reduce_scatter_block bytes=64 unit=8 work=0
gatherv peer=0 bytes=10,20,30,40,50,60 list=10/20/30/40/50/60,-*5 work=0
allgatherv bytes=100 list=100x6 work=0
alltoallv list=100x6/100x6 work=0
irecv peer=0,0,1,2,3,4 tag=7 slot=0 ranks=0,1*5 work=0
issend peer=1,2,3,4,5,0 tag=7 bytes=90000 slot=1 ranks=1*5,0 work=0
wait list=1,0/1*4,0 work=3e-06
sendrecv peer=1,0,3,2,5,4 source=1,0,3,2,5,4 tag=9 source-tag=9 bytes=500 work=0
ssend peer=1 tag=3 bytes=10 ranks=1,0*5 work=0
recv peer=0 tag=3 ranks=0,1,0*4 work=0
free_communicator slot=2 work=0""".splitlines()
    text = write("all", "\n".join(["skeleton 1", "ranks 6", "seconds 1", "events 6", "loop 20",
                                   *(f"  {event} inside=0 times=20" for event in events), "end", "end", ""]))
    for scale in 1, 4:
        check_equal_on_fibers("--scale", scale, text)


def check_library():
    """Open MPI has other choices for equal parts than for parts that may differ."""
    library = write("openmpi.toml", pathlib.Path(target).read_text() + '[collectives]\nlibrary = "openmpi-4.1"\n')
    times = []
    for name, fields in ("reduce_scatter", "list=64x6"), ("reduce_scatter_block", "bytes=64"):
        text = write(name, f"skeleton 1\nranks 6\n{name} {fields} unit=8 work=0 inside=0 times=1\nend\n")
        check_equal_on_fibers("--scale", 1, text, on=library)
        times.append(predicted("--scale", 1, text) - prediction("--scale", 1, text, on=library)["predicted_seconds"])
    check(times[0] == 0 != times[1], f"halving, and a butterfly for equal parts: {times}")


def check_natively(recording):
    """The skeleton as a program of its own, and recorded natively. The path of the native recording."""
    skeleton("build", "--scale", 10, "-o", folder / "native.c", recording)
    program = compiled("native", "-Wall", "-Werror", "-Wno-unused-function", "-Wno-stringop-overflow")
    out = run(mpirun, "-n", 6, program).out
    check(re.search("^skeleton: predicted ", out, re.MULTILINE), f"the skeleton does not run natively: {out}")
    ended = run(mpirun, "-n", 3, program, code=None)
    check(ended.code != 0 and "invalid number of ranks: 3 (expected 6)" in ended.said, f"on other ranks: {ended.said}")
    native, said = record("native.rec", 3, kernels, "gradient", "--size", 30, "--rounds", 20, on=())
    check(re.search("recorded .* events on 3 ranks", said), f"native: {said}")
    skeleton("run", "--target", target, native)
    return native


def check_corners():
    """On four ranks each is a corner, with its own order in the loops: words alone do not align them."""
    wavefront = kernels, "wavefront", "--size", 20, "--rounds", 20, "--point", "20ns"
    four = prediction("-n", 4, "--scale", 5, *wavefront)
    near(four["predicted_seconds"], time_of_program(4, *wavefront), 0.03, "a wavefront of corners")
    check(four["symbols"] < 40, f"a wavefront of corners has {four['symbols']} symbols")


def check_elements():
    """An algorithm may depend on the number of elements: pairs and complex numbers remain elements of their size."""
    write("elements.c", """#include <mpi.h>
int main(int argc, char** argv) {
  double out[8] = {0}, in[8];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 20; ++i) {
    MPI_Allreduce(out, in, 3, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    MPI_Allreduce(out, in, 3, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(out, in, 3, MPI_SHORT_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
""")
    program = compiled("elements")
    recording, _ = record("elements.rec", 6, program)
    right = with_json("run", "--preload", "-n", 6, program)[0]["predicted_seconds"]
    near(predicted("--scale", 1, recording), right, 1e-6, "pairs and complex numbers")


def check_extrapolation():
    """From 9, 16 and 25 ranks to 36: equal to a recording with 36, to the picosecond. The first recordings."""
    small = kernels, "jacobi", "--size", 20, "--rounds", 60, "--point", "200ns"
    *fewer, all_ranks = (record(f"of{ranks}", ranks, *small)[0] for ranks in (9, 16, 25, 36))
    told, said = with_json("skeleton", "run", "-n", 36, *fewer)
    right = predicted(all_ranks)
    check(told["predicted_seconds"] == right, f"for 36 ranks {told['predicted_seconds']} s in place of {right}")
    check("note: from 9, 16 and 25 ranks, seen in a grid of 2 dimensions" in said, f"laws: {said}")
    skeleton("extrapolate", "-n", 36, "-o", folder / "told", *fewer[2:], *fewer[:2])
    # The text has nine digits of each number.
    near(predicted(folder / "told"), right, 1e-8, "the text of extrapolate")
    return fewer


def check_buffered_messages(recording):
    """Two ranks that send before they receive, which works as long as messages are buffered."""
    write("both.c", """#include <mpi.h>
int main(int argc, char** argv) {
  int rank, out[10] = {0}, in[10];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20; ++i) {
    MPI_Send(out, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(in, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return MPI_Finalize();
}
""")
    both, _ = record("both.rec", 2, compiled("both"), on=())
    said = skeleton("build", "-o", folder / "short.c", both).said
    check("needs messages that are buffered" in said, f"does not say that buffers are needed: {said}")
    said = skeleton("build", "-o", folder / "short.c", recording).said
    check("buffered" not in said, f"says that buffers are needed: {said}")


def wrong(text, *words):
    """Checks that `emu skeleton` ends with exit code 1 or 2 and says `text`."""
    ended = skeleton(*words, code=None)
    check(ended.code in (1, 2), f"exit code {ended.code}: {ended.command}")
    check(text in ended.said, f"no '{text}': {ended.command}: {ended.said}")


def changed(recording, name):
    return pathlib.Path(shutil.copytree(recording, folder / name))


def check_wrong_input(recording, native, fewer):
    for name, size, text in ("short", 1000, "has no end after"), ("empty", 0, "not a recording of a rank"):
        os.truncate(changed(recording, name) / "rank.5", size)
        wrong(text, "compress", folder / name)
    (changed(recording, "missing") / "rank.4").unlink()
    wrong("there were 6 ranks", "compress", folder / "missing")
    shutil.copy(native / "rank.1", changed(recording, "mixed"))
    wrong("two runs", "compress", folder / "mixed")
    wrong("not a recording", "compress", folder)
    none = folder / "none"
    wrong("ended with exit code", "record", "-n", 2, "--target", target, "-o", none, kernels, "none")
    wrong("without the recorder", "record", "-n", 2, "--target", target, "-o", none, "/bin/true")
    wrong("ended with exit code 3", "record", "-n", 2, "-o", none, "sh", "-c", "exit 3")
    wrong("--target: the file name is empty", "record", "-n", 2, "--target", "", "-o", none, kernels, "none")
    check(not none.exists(), "a program that was not recorded leaves a folder")
    wrong("-n is missing", "record", "-o", none, kernels)
    wrong("is not a recording: it contains", "record", "-n", 2, "-o", folder, kernels)
    wrong("invalid number: 0.5 (expected 1 to", "build", "--scale", 0.5, recording)
    wrong("not a skeleton", "build", folder / "json")
    wrong("has no option --json", "build", "--json", "x", recording)
    wrong("tells nothing of others", "run", "-n", 4, "--target", target, recording)
    of9, of16, _ = fewer
    wrong("-n is missing", "run", "--target", target, of9, of16)
    wrong("50: not a recording", "run", "--target", target, of9, 50)
    wrong("-n is missing", "extrapolate", of9, of16)
    wrong("too few recordings: 1 (expected two or three", "extrapolate", "-n", 20, of9)
    wrong("two of the recordings have 9 ranks", "extrapolate", "-n", 20, of9, of9)
    wrong("20 ranks cannot be extrapolated from these recordings", "extrapolate", "-n", 20, recording, of9)
    said = skeleton("build", "--scale", "1e6", "-o", folder / "large.c", recording).said
    check("note: the skeleton takes" in said, f"no note: {said}")


def check_farms():
    """A master that deals tasks continues to do so, also if the tasks are dealt differently."""
    farm = kernels, "farm", "--rounds", 600, "--task", "3ms"
    recording, _ = record("farm", 5, *farm)
    near(predicted("--scale", 5, recording), time_of_program(5, *farm), 0.05, "farm")
    check("600 tasks" in skeleton("build", "--scale", 5, recording).said, "the farm is not seen")
    check_equal_on_fibers("--scale", 5, recording)
    # So does a master whose slaves ask for their first task, whether or not the chunks become smaller.
    for rule in "self", "guided":
        recording, _ = record(rule, 12, loops, "--rule", rule, "--iterations", 3000, "--cost", "bimodal")
        found, said = with_json("skeleton", "run", "--scale", 5, recording)
        near(found["predicted_seconds"], found["recorded_seconds"], 0.05, f"loops {rule}")
        check(found["symbols"] < 10, f"loops {rule}: {found['symbols']} symbols")
        check("from any source" not in said and "% off" not in said, f"loops {rule}: {said}")
        check_equal_on_fibers("--scale", 5, recording)


def check_several_masters():
    """Several masters are not such a farm: the verb reports the consequence, and the resulting error shown by the
    recording."""
    recording, _ = record("masters", 12, mase, "--size", 64, "--task", 8, "--cost-per-iteration", "1us",
                          "--strategy", "ml")
    said = skeleton("run", "--target", target, recording, code=None).said
    check("steps receive from any source and are of no farm" in said, f"several masters: {said}")
    check(re.search("on this target the program took .*% off", said), f"several masters: {said}")
    check_equal_on_fibers(recording)


def check_deadlock(recording):
    """Ranks that do not match would wait forever: the emulator reports this, and no skeleton is written."""
    less, _ = record("less", 6, kernels, "jacobi", "--size", 50, "--rounds", 60)
    mixed = changed(recording, "mismatched")
    shutil.copy(less / "rank.2", mixed)
    wrong("does not run through under the emulator", "build", "-o", folder / "mixed.c", mixed)
    wrong("does not run through: deadlock: no rank can continue", "run", "--target", target, mixed)
    check(not (folder / "mixed.c").exists(), "a skeleton that waits for ever was handed over")


check_equal_work()
recording, text = check_prediction()
check_equal_on_fibers("--scale", 10, recording)
check_local_calls()
check_uneven_work()
check_as_program(text)
check_all_operations()
check_library()
native = check_natively(recording)
check_corners()
check_elements()
fewer = check_extrapolation()
check_buffered_messages(recording)
check_wrong_input(recording, native, fewer)
check_farms()
check_several_masters()
check_deadlock(recording)
print("ok")
