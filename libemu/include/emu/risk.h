/* Which ranks are likely to fail, or slow, as far as the machine is known: what is worth more is stored or done
 * elsewhere first. Under libemu the target file says so. */
#ifndef EMU_RISK_H
#define EMU_RISK_H

#ifdef __cplusplus
extern "C" {
#endif

int emu_is_at_risk(int rank) __attribute__((weak));

/* 1 if the node of that rank of MPI_COMM_WORLD fails at some time, for good or for a while, or if its CPU has at most
 * half the speed of the median of all ranks' CPUs when the program begins; else 0. Not emulated: 0. */
static inline int emu_rank_at_risk(int rank) { return emu_is_at_risk ? emu_is_at_risk(rank) : 0; }

#ifdef __cplusplus
}
#endif

#endif
