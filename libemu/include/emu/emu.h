/* The small public C interface of libemu. A program that uses it links and runs without libemu too: the
 * entry points it needs are weak, and the calls do nothing where libemu is not there. */
#ifndef EMU_EMU_H
#define EMU_EMU_H

#ifdef __cplusplus
extern "C" {
#endif

/* What libemu exports; call the functions below instead. */
void emu_declare_compute(double seconds) __attribute__((weak));
int emu_is_active(void) __attribute__((weak));
void emu_open_interval(const char* name) __attribute__((weak));
void emu_close_interval(const char* name) __attribute__((weak));
long long emu_read_picoseconds(void) __attribute__((weak));

/* Declares that the work since the last MPI call costs `seconds` on the reference CPU (speed 1): on a CPU
 * of speed v it takes seconds / v of virtual time. It replaces what was measured since that call; several
 * calls in a row add up. `seconds` must be finite and not negative, else the job stops with an error.
 * Of several threads of a rank each declares its own: what they declare between two MPI calls is done side by side.
 * Inside an operation of MPI_Op_create it is the work of the rank that applies the operation. Does nothing
 * outside MPI_Init ... MPI_Finalize. */
static inline void emu_compute(double seconds) {
  if (emu_declare_compute) emu_declare_compute(seconds);
}

/* 1 while this program is being emulated, else 0. */
static inline int emu_active(void) { return emu_is_active ? emu_is_active() : 0; }

/* The clock of this rank, in picoseconds of virtual time since the return from MPI_Init. Unlike MPI_Wtime and
 * the clocks of the system, which cost what a target's network.poll says, it costs nothing: for looking on
 * without taking part. 0 outside MPI_Init ... MPI_Finalize, and where the program is not emulated. */
static inline long long emu_picoseconds(void) { return emu_read_picoseconds ? emu_read_picoseconds() : 0; }

/* What this rank does between the two belongs to the interval `name`: `emu report` tells where its time goes.
 * Intervals may be nested, not interleaved; the same name may come again. They cost no virtual time, and
 * nothing at all where the run is not recorded. MPI_Pcontrol(1, name) and MPI_Pcontrol(-1, name) mean the
 * same. */
static inline void emu_interval_begin(const char* name) {
  if (emu_open_interval) emu_open_interval(name);
}
static inline void emu_interval_end(const char* name) {
  if (emu_close_interval) emu_close_interval(name);
}

#ifdef __cplusplus
}
#endif

#endif
