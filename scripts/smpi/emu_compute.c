/* What a program calls through emu/emu.h, for a build with SimGrid's SMPI: declared compute becomes its compute. */
#include <smpi/smpi.h>

void emu_declare_compute(double seconds) { smpi_execute_benched(seconds); }
int emu_is_active(void) { return 1; }
