// Errors in the use of a file: their class, and the handler that is called.
#include "files.h"

namespace {

void show_error(const std::string& text, int code) {
  int error_class = -1, length = 0;
  char words[MPI_MAX_ERROR_STRING];
  MPI_Error_class(code, &error_class);
  MPI_Error_string(code, words, &length);
  std::printf("%s: class %d, explained: %d\n", text.c_str(), error_class, length > 0);
}

int called = 0;
void count_call(MPI_File*, int* code, ...) {
  ++called;
  show_error("handler", *code);
}

void opening(const Answers& me) {
  MPI_File file = MPI_FILE_NULL;
  const auto open = [&](const char* text, const std::string& path, int mode) {
    show_error(text, MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file));
  };
  open("no such file", name("none"), MPI_MODE_RDONLY);
  open("no such folder", name("none/none"), MPI_MODE_CREATE | MPI_MODE_WRONLY);
  open("a folder", "/", MPI_MODE_CREATE | MPI_MODE_WRONLY);
  open("no mode", name("x"), 0);
  open("no mode of access", name("x"), MPI_MODE_CREATE);
  open("two modes", name("x"), MPI_MODE_RDONLY | MPI_MODE_WRONLY);
  open("reads and creates", name("x"), MPI_MODE_RDONLY | MPI_MODE_CREATE);
  open("reads and is new", name("x"), MPI_MODE_RDONLY | MPI_MODE_EXCL);
  open("sequential", name("x"), MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL);
  if (me.size > 1)
    open("different modes", name("x"), me.rank ? MPI_MODE_RDWR : MPI_MODE_RDWR | MPI_MODE_CREATE);
  open("new", name("errors"), MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY);
  show_error("closed", MPI_File_close(&file));
  // MPICH ignores an unknown bit in the mode if another bit gives the kind of access.
  open("no mode but an unknown one", name("unknown"), 1 << 20);
  int mode = 0;
  open("unknown mode", name("unknown"), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE | 1 << 20);
  show_error("its mode", MPI_File_get_amode(file, &mode));
  std::printf("mode %x\n", static_cast<unsigned>(mode));
  show_error("closed", MPI_File_close(&file));
  // ROMIO passes the first rank's code to the other ranks, where it may be unknown.
  if (me.size == 1) open("not new", name("errors"), MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY);
  if (me.rank == 0) show_error("deleted", MPI_File_delete(name("errors").c_str(), MPI_INFO_NULL));
  if (me.rank == 0) show_error("not deleted", MPI_File_delete(name("errors").c_str(), MPI_INFO_NULL));
}

void using_one(const Answers& me) {
  int data[4] = {}, flag = 0;
  MPI_Offset offset = 0;
  MPI_Request request;
  MPI_File file = opened("used", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(3, MPI_INT, &uncommitted);
  show_error("count", MPI_File_write(file, data, -1, MPI_INT, MPI_STATUS_IGNORE));
  show_error("count of all", MPI_File_read_all(file, data, -1, MPI_INT, MPI_STATUS_IGNORE));
  show_error("type", MPI_File_read(file, data, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE));
  show_error("offset", MPI_File_read_at(file, -8, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  show_error("offset in the background", MPI_File_iwrite_at(file, -8, data, 1, MPI_INT, &request));
  show_error("seek", MPI_File_seek(file, -8, MPI_SEEK_SET));
  show_error("whence", MPI_File_seek(file, 8, 77));
  if (me.size == 1) show_error("shared seek", MPI_File_seek_shared(file, 8, 77));
  show_error("size", MPI_File_set_size(file, -1));
  show_error("preallocate", MPI_File_preallocate(file, -1));
  if (me.size > 1) show_error("sizes", MPI_File_set_size(file, me.rank));
  show_error("etype", MPI_File_set_view(file, 0, MPI_DATATYPE_NULL, MPI_INT, "native", MPI_INFO_NULL));
  show_error("filetype", MPI_File_set_view(file, 0, MPI_INT, MPI_CHAR, "native", MPI_INFO_NULL));
  show_error("uncommitted", MPI_File_set_view(file, 0, MPI_INT, uncommitted, "native", MPI_INFO_NULL));
  show_error("representation", MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "roman", MPI_INFO_NULL));
  show_error("displacement", MPI_File_set_view(file, -5, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  show_error("current",
             MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  show_error("view", MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL));
  show_error("half an element", MPI_File_write(file, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  show_error("end without begin", MPI_File_read_all_end(file, data, MPI_STATUS_IGNORE));
  show_error("begin", MPI_File_read_all_begin(file, data, 2, MPI_INT));
  show_error("begin again", MPI_File_read_all_begin(file, data, 2, MPI_INT));
  show_error("end", MPI_File_read_all_end(file, data, MPI_STATUS_IGNORE));
  show_error("close", MPI_File_close(&file));
  show_error("no file", MPI_File_get_size(file, &offset));
  show_error("no file to sync", MPI_File_sync(file));
  show_error("no file to close", MPI_File_close(&file));
  show_error("no file to read", MPI_File_read(MPI_FILE_NULL, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  show_error("no file to ask", MPI_File_get_atomicity(MPI_FILE_NULL, &flag));
  MPI_Type_free(&uncommitted);
}

void modes() {
  int data[4] = {};
  MPI_Offset offset = 0;
  MPI_File file = opened("used", MPI_MODE_RDONLY);
  show_error("write what is read", MPI_File_write(file, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  show_error("write all", MPI_File_write_at_all(file, 0, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  show_error("set size", MPI_File_set_size(file, 5));
  show_error("sync", MPI_File_sync(file));
  MPI_File_close(&file);
  file = opened("used", MPI_MODE_WRONLY);
  show_error("read what is written", MPI_File_read(file, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  MPI_File_close(&file);
  file = opened("used", MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
  show_error("by its pointer", MPI_File_read(file, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  show_error("at", MPI_File_read_at_all(file, 0, data, 1, MPI_INT, MPI_STATUS_IGNORE));
  show_error("seek", MPI_File_seek(file, 0, MPI_SEEK_SET));
  show_error("position", MPI_File_get_position(file, &offset));
  show_error("byte offset", MPI_File_get_byte_offset(file, 0, &offset));
  show_error("seek shared", MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  show_error("shared position", MPI_File_get_position_shared(file, &offset));
  show_error("view", MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  MPI_File_close(&file);
}

// A disk that is full.
void full() {
  const std::vector<int> data(100);
  MPI_File file = MPI_FILE_NULL;
  show_error("full disk", MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
  show_error("write", MPI_File_write(file, data.data(), 100, MPI_INT, MPI_STATUS_IGNORE));
  show_error("write all", MPI_File_write_all(file, data.data(), 100, MPI_INT, MPI_STATUS_IGNORE));
  show_error("write at", MPI_File_write_at(file, 80, data.data(), 100, MPI_INT, MPI_STATUS_IGNORE));
  MPI_File_close(&file);
}

void handlers() {
  MPI_Errhandler own, found;
  MPI_File_create_errhandler(&count_call, &own);
  MPI_File file = opened("used", MPI_MODE_RDONLY);
  MPI_File_get_errhandler(file, &found);
  show("errors return", found == MPI_ERRORS_RETURN);
  int data = 0;
  MPI_File_set_errhandler(file, own);
  MPI_File_get_errhandler(file, &found);
  show("the handler is there", found == own);
  MPI_Errhandler_free(&found);
  show_error("with a handler", MPI_File_write(file, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
  show_error("right", MPI_File_read_at(file, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
  show("handler was called", called);
  MPI_File_get_errhandler(file, &found);
  show("the handler is still there", found == own);
  MPI_Errhandler_free(&found);
  MPI_File_call_errhandler(file, MPI_ERR_IO);
  show("handler was called", called);
  MPI_Errhandler_free(&own);
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  const Answers me(&argc, &argv);
  opening(me);
  using_one(me);
  modes();
  full();
  handlers();
}
