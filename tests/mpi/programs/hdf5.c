/* A parallel HDF5 file: written and read by all ranks, collectively and individually, in pieces of a dataset that
 * is contiguous or in chunks, with attributes. Usage: hdf5 FILE */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 6, COLUMNS = 10 };
static int rank, ranks;

static void check(int right, const char* what) {
  if (!right) {
    fprintf(stderr, "rank %d: %s fails\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static hid_t transfer(H5FD_mpio_xfer_t how) {
  const hid_t list = H5Pcreate(H5P_DATASET_XFER);
  check(H5Pset_dxpl_mpio(list, how) >= 0, "H5Pset_dxpl_mpio");
  return list;
}

/* Each rank has every ranks-th row, or a block of them. */
static hid_t piece(hid_t space, int interleaved) {
  const hsize_t start[2] = {interleaved ? (hsize_t)rank : (hsize_t)rank * ROWS, 0};
  const hsize_t stride[2] = {interleaved ? (hsize_t)ranks : 1, 1};
  const hsize_t count[2] = {ROWS, COLUMNS};
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL) >= 0, "H5Sselect_hyperslab");
  return space;
}

static void one_dataset(hid_t file, const char* name, int chunked, int interleaved, H5FD_mpio_xfer_t how) {
  const hsize_t whole[2] = {(hsize_t)ROWS * ranks, COLUMNS}, mine[2] = {ROWS, COLUMNS}, chunk[2] = {4, 3};
  const hid_t space = H5Screate_simple(2, whole, NULL), memory = H5Screate_simple(2, mine, NULL);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  check(H5Pset_obj_track_times(creation, 0) >= 0, "H5Pset_obj_track_times"); /* equal in every run */
  if (chunked) check(H5Pset_chunk(creation, 2, chunk) >= 0, "H5Pset_chunk");
  const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  check(set >= 0, "H5Dcreate2");
  int out[ROWS][COLUMNS], in[ROWS][COLUMNS] = {{0}};
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c)
      out[r][c] = 1000 * (interleaved ? r * ranks + rank : rank * ROWS + r) + c;
  const hid_t list = transfer(how);
  check(H5Dwrite(set, H5T_NATIVE_INT, memory, piece(space, interleaved), list, out) >= 0, "H5Dwrite");
  check(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0, "H5Fflush");
  check(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS, "MPI_Barrier");
  check(H5Dread(set, H5T_NATIVE_INT, memory, piece(space, !interleaved), list, in) >= 0, "H5Dread");
  long sum = 0;
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c) {
      check(in[r][c] == 1000 * (interleaved ? rank * ROWS + r : r * ranks + rank) + c, name);
      sum += in[r][c];
    }
  printf("rank %d %s %ld\n", rank, name, sum);
  H5Pclose(list);
  H5Pclose(creation);
  H5Dclose(set);
  H5Sclose(memory);
  H5Sclose(space);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* name = argc > 1 ? argv[1] : "data.h5";
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  check(file >= 0, "H5Fcreate");
  one_dataset(file, "blocks-together", 0, 0, H5FD_MPIO_COLLECTIVE);
  one_dataset(file, "blocks-alone", 0, 0, H5FD_MPIO_INDEPENDENT);
  one_dataset(file, "rows-together", 0, 1, H5FD_MPIO_COLLECTIVE);
  one_dataset(file, "rows-alone", 0, 1, H5FD_MPIO_INDEPENDENT);
  one_dataset(file, "chunks-together", 1, 0, H5FD_MPIO_COLLECTIVE);
  one_dataset(file, "chunks-rows-together", 1, 1, H5FD_MPIO_COLLECTIVE);
  const hsize_t three = 3;
  const hid_t space = H5Screate_simple(1, &three, NULL);
  const hid_t attribute = H5Acreate2(file, "ranks", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT);
  const int values[3] = {ranks, ROWS, COLUMNS};
  check(H5Awrite(attribute, H5T_NATIVE_INT, values) >= 0, "H5Awrite");
  H5Aclose(attribute);
  H5Sclose(space);
  check(H5Fclose(file) >= 0, "H5Fclose");

  file = H5Fopen(name, H5F_ACC_RDONLY, access);
  check(file >= 0, "H5Fopen");
  const hid_t group = H5Gopen2(file, "/", H5P_DEFAULT), stored = H5Aopen(file, "ranks", H5P_DEFAULT);
  H5G_info_t info;
  int read[3];
  check(H5Gget_info(group, &info) >= 0 && H5Aread(stored, H5T_NATIVE_INT, read) >= 0, "H5Aread");
  printf("rank %d: %d datasets, %d %d %d\n", rank, (int)info.nlinks, read[0], read[1], read[2]);
  H5Aclose(stored);
  H5Gclose(group);
  H5Fclose(file);
  H5Pclose(access);
  return MPI_Finalize();
}
