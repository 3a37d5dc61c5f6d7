# The page as a text in C++: the first file, with the others in place of its line @SCRIPTS@.
function put(line) { print "    R\"PAGE(" line ")PAGE\" \"\\n\"" }
BEGIN { print "namespace emu::app {\nextern const char page_template[];\nconst char page_template[] =" }
FNR == 1 { ++files }
files == 1 && $0 == "@SCRIPTS@" {
  for (i = 2; i < ARGC; ++i)
    while ((getline line < ARGV[i]) > 0) put(line)
  next
}
files == 1 { put($0) }
END { print "    ;\n}  // namespace emu::app" }
