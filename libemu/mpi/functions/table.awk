# With prototypes.awk, without a header: the list for the command `emu`.
END {
  if (failed) exit 1
  print "// What libemu does with each MPI function. Generated from functions.list."
  print "#include \"check/functions.h\"\n"
  print "namespace emu::app {\n"
  print "const Function functions[] = {"
  for (i = 1; i <= count; i++) {
    name = names[i]
    print "    {\"" name "\", Class::" class[name] ", \"" why[name] "\"},"
  }
  print "};"
  print "const std::size_t function_count = " count ";\n"
  print "}"
}
