# With prototypes.awk: weak entry points that only forward, for emulated and joined functions nobody has written yet.
# tests/mpi/functions_test fails while one of them is in use.
END {
  if (failed) exit 1
  print "// Not emulated yet. Generated from functions.list.\n#include <mpi.h>\n"
  print "extern \"C\" {"
  for (i = 1; i <= count; i++) {
    name = names[i]
    if (!shimmed(name) || class[name] == "refused") continue
    print ""
    print_wrapped("[[gnu::weak]] " result[name] " " name "(", parameters[name], ") {")
    print_wrapped("  return P" name "(", arguments[name], ");")
    print "}"
  }
  print "\n}"
}
