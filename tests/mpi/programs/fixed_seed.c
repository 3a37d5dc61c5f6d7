/* Preloaded: fixes the seed of a Fortran program's random numbers, whether it comes from the system or from the
 * date. The seed is equal in each run, and differs between ranks. */
#include <stdlib.h>
#include <string.h>

static int rank;

/* Before MPI_Init, which may remove it from the environment. */
__attribute__((constructor)) static void look(void) {
  const char* number = getenv("PMI_RANK");
  if (number) rank = atoi(number);
}

int getentropy(void* buffer, size_t length) {
  memset(buffer, 1 + rank, length);
  return 0;
}

/* DATE_AND_TIME. `values` is the descriptor of an array: the address of its numbers comes first. */
void _gfortran_date_and_time(char* date, char* time, char* zone, int** values, long date_length,
                             long time_length, long zone_length) {
  static const int said[8] = {2004, 5, 6, 0, 7, 8, 9, 10};
  if (date) memset(date, '1', (size_t)date_length);
  if (time) memset(time, '1', (size_t)time_length);
  if (zone) memset(zone, '1', (size_t)zone_length);
  if (values && *values) memcpy(*values, said, sizeof said);
}
