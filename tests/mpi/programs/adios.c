/* An ADIOS file, written through MPI-IO: each rank writes its part of an array; then all ranks read the whole
 * array. Usage: adios FILE METHOD */
#include <adios.h>
#include <adios_read.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  enum { PART = 10 };
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* name = argc > 1 ? argv[1] : "data.bp";
  double values[PART];
  for (int i = 0; i < PART; ++i) values[i] = 10.0 * rank + i;
  const int whole = PART * ranks, offset = PART * rank, part = PART;

  adios_init_noxml(MPI_COMM_WORLD);
  int64_t group, file;
  adios_declare_group(&group, "values", "", adios_stat_no);
  adios_select_method(group, argc > 2 ? argv[2] : "MPI", "", "");
  adios_define_var(group, "whole", "", adios_integer, "", "", "");
  adios_define_var(group, "offset", "", adios_integer, "", "", "");
  adios_define_var(group, "part", "", adios_integer, "", "", "");
  adios_define_var(group, "array", "", adios_double, "part", "whole", "offset");
  adios_open(&file, "values", name, "w", MPI_COMM_WORLD);
  adios_write(file, "whole", &whole);
  adios_write(file, "offset", &offset);
  adios_write(file, "part", &part);
  adios_write(file, "array", values);
  adios_close(file);
  MPI_Barrier(MPI_COMM_WORLD);

  adios_read_init_method(ADIOS_READ_METHOD_BP, MPI_COMM_WORLD, "verbose=1");
  ADIOS_FILE* again = adios_read_open_file(name, ADIOS_READ_METHOD_BP, MPI_COMM_WORLD);
  if (!again) {
    fprintf(stderr, "rank %d: %s\n", rank, adios_errmsg());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const uint64_t start = 0, count = (uint64_t)whole;
  ADIOS_SELECTION* box = adios_selection_boundingbox(1, &start, &count);
  double all[PART * 64];
  adios_schedule_read(again, box, "array", 0, 1, all);
  adios_perform_reads(again, 1);
  double sum = 0;
  for (int i = 0; i < whole; ++i) sum += all[i] * (i + 1);
  printf("rank %d: %d variables, %.1f %.1f\n", rank, again->nvars, all[whole - 1], sum);
  adios_selection_delete(box);
  adios_read_close(again);
  adios_read_finalize_method(ADIOS_READ_METHOD_BP);
  adios_finalize(rank);
  return MPI_Finalize();
}
