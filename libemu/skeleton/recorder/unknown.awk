# With libemu/mpi/functions/prototypes.awk, which reads the first two files: entry points for the functions that several
# ranks have to do with and that the recorder's sources, the files behind, do not define.
file > 2 && /^int MPI_[A-Za-z_]+\(/ { name = $2; sub(/\(.*/, "", name); known[name] = 1 }
file > 2 && /^EMU_I?SEND\(/ { name = $1; sub(/^EMU_I?SEND\(/, "", name); sub(/,.*/, "", name); known["MPI_" name] = 1 }

END {
  if (failed) exit 1
  print "// Functions that a skeleton cannot have. Generated from functions.list."
  print "#include \"skeleton/recorder/recorder.h\"\n"
  print "using emu::skeleton::recorder;\n"
  print "extern \"C\" {"
  for (i = 1; i <= count; i++) {
    name = names[i]
    if (class[name] == "passed" || name in known) continue
    # Local, or of files.
    if (name ~ /_File_|Wtime|Wtick|Abort|Pcontrol|processor_name|Request_free|Buffer_|Session|datarep/) continue
    # Questions about groups, communicators and topologies, and other things that a rank does by itself.
    if (name ~ /_Group_|_Comm_(rank|size|compare|group|remote_|test_inter|create_keyval|get_attr)|_(Op|Type)_free$/) continue
    if (name ~ /_Cart_(coords|get|map|rank|shift)|_Cartdim_|_Graph_(get|map|neighbors)|_Graphdims_|_graph_neighbors/) continue
    if (name ~ /_Topo_test|_Attr_get|_Keyval_create/) continue
    print ""
    print_wrapped(result[name] " " name "(", parameters[name], ") {")
    print "  static const auto next = emu::skeleton::next_function<decltype(" name ")>(\"" name "\");"
    print "  recorder.refuse(\"" name "\");"
    print_wrapped("  return next(", arguments[name], ");")
    print "}"
  }
  print "\n}"
}
