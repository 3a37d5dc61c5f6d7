# With prototypes.awk: the entry points of the refused functions.
END {
  if (failed) exit 1
  print "// The functions that libemu refuses. Generated from functions.list."
  print "#include \"mpi/refuse.h\"\n\n#include <mpi.h>\n"
  print "using emu::mpi::refuse;\nusing emu::mpi::refusing;\n"
  print "extern \"C\" {"
  for (i = 1; i <= count; i++) {
    name = names[i]
    if (class[name] != "refused") continue
    print ""
    print_wrapped(result[name] " " name "(", parameters[name], ") {")
    print "  if (refusing())"
    print "    refuse(\"" name "\",\n           \"" why[name] "\");"
    print_wrapped("  return P" name "(", arguments[name], ");")
    print "}"
  }
  print "\n}"
}
