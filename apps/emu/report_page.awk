# The page as a text in C++.
BEGIN { print "namespace emu::app {\nextern const char page_template[];\nconst char page_template[] =" }
{ print "    R\"PAGE(" $0 ")PAGE\" \"\\n\"" }
END { print "    ;\n}  // namespace emu::app" }
