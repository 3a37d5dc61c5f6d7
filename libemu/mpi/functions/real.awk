# With prototypes.awk: what a call of PMPI_X inside libemu becomes (options.awk renames it): the PMPI_X of the
# library behind.
END {
  if (failed) exit 1
  print "// The way to the library behind libemu. Generated from functions.list."
  print "#include \"mpi/real.h\"\n\n#include <mpi.h>\n"
  print "using emu::mpi::real;\n"
  print "extern \"C\" {"
  for (i = 1; i <= count; i++) {
    name = names[i]
    if (!shimmed(name)) continue
    print ""
    print_wrapped(result[name] " __wrap_P" name "(", parameters[name], ") {")
    print "  static const auto function = real<decltype(P" name ")>(\"P" name "\");"
    print_wrapped("  return function(", arguments[name], ");")
    print "}"
  }
  print "\n}"
}
