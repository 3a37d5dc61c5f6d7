# Reads functions.list, then mpi.h after the preprocessor. Afterwards, for the functions in names[1..count]:
# class[name], why[name] (refused only), result[name] (the type returned), parameters[name] ("int count,
# ..."), arguments[name] ("count, ..."); shimmed(name): libemu defines it. The header is not read where no
# output needs prototypes.

FNR == 1 { file++ }

file == 1 && /^reason / { key = $2; text = $0; sub(/^reason [^ ]+ +/, "", text); reason[key] = text; next }

file == 1 && !/^#/ && NF > 0 {
  names[++count] = $1
  class[$1] = $2
  if ($2 == "refused") why[$1] = explanation($0)
  next
}

# The header: statements, joined into one line each.
file == 2 && !/^#/ {
  statement = statement " " $0
  while ((end = index(statement, ";")) > 0) {
    prototype(substr(statement, 1, end - 1))
    statement = substr(statement, end + 1)
  }
}

function explanation(line,    key, hint, end) {
  sub(/^[^ ]+ refused +/, "", line)
  key = line
  hint = ""
  if ((end = index(line, ";")) > 0) {
    key = substr(line, 1, end - 1)
    hint = substr(line, end)
  }
  if (!(key in reason)) broken("no reason is called " key)
  return reason[key] hint
}

function shimmed(name) { return class[name] != "passed" }

function prototype(s,    open, close_, name) {
  gsub(/__attribute__ *\(\([^;]*\)\)/, "", s)
  if (!match(s, /PMPIX?_[A-Za-z0-9_]+ *\(/)) return
  name = substr(s, RSTART + 1, RLENGTH - 1)
  sub(/ *\($/, "", name)
  open = RSTART + RLENGTH - 1
  result[name] = substr(s, 1, RSTART - 1)
  sub(/.*[{}]/, "", result[name])
  gsub(/^ +| +$/, "", result[name])
  close_ = length(s)
  while (close_ > open && substr(s, close_, 1) != ")") close_--
  parse_parameters(name, substr(s, open + 1, close_ - open - 1))
}

function parse_parameters(name, list,    n, i, parts, p) {
  parameters[name] = arguments[name] = ""
  gsub(/[ \t]+/, " ", list)
  gsub(/^ | $/, "", list)
  if (list == "void" || list == "") return
  n = split(list, parts, / *, */)
  for (i = 1; i <= n; i++) {
    if (parts[i] == "...") {  # MPI_Pcontrol: further arguments cannot be handed on
      parameters[name] = parameters[name] ", ..."
      continue
    }
    p = parameter(parts[i], i)
    parameters[name] = parameters[name] (i > 1 ? ", " : "") p
    arguments[name] = arguments[name] (i > 1 ? ", " : "") argument
  }
}

# One parameter with a name, made up where the header has none; `argument` is the name alone.
function parameter(p, i,    array, words, n) {
  array = ""
  if (match(p, /\[/)) {
    array = substr(p, RSTART)
    p = substr(p, 1, RSTART - 1)
  }
  gsub(/ *\* */, "*", p)
  if (match(p, /\*[A-Za-z_]/)) p = substr(p, 1, RSTART) " " substr(p, RSTART + 1)
  n = split(p, words, / /)
  # A type alone is "T", "T*", "const T" or "const T*"; one word more is the name.
  if (n > (words[1] == "const" ? 2 : 1)) {
    argument = words[n]
    return p array
  }
  argument = "argument" i
  return p " " argument array
}

# Prints `head` and the list after it, broken at commas to the line length of the project.
function print_wrapped(head, list, tail,    n, i, parts, line, indent, piece) {
  indent = sprintf("%" length(head) "s", "")
  n = split(list, parts, /, /)
  line = head
  for (i = 1; i <= n; i++) {
    piece = parts[i] (i < n ? "," : tail)
    if (length(line) + length(piece) + 1 > 110 && line != head) {
      print line
      line = indent piece
    } else {
      line = line (line == head || line == indent ? "" : " ") piece
    }
  }
  print line (n == 0 ? tail : "")
}

function broken(message) {
  print "functions.list: " message > "/dev/stderr"
  failed = 1
  exit 1
}

END {
  if (failed) exit 1
  for (i = 1; i <= count; i++)
    if (file > 1 && !(names[i] in result)) broken(names[i] " has no prototype in mpi.h")
}
