# With prototypes.awk: the linker's options for libemu. For each function X that libemu defines, PMPI_X is
# exported as the same function (programs and mpi_f08 call it directly), and libemu's own calls of PMPI_X go
# to the library behind.
END {
  if (failed) exit 1
  for (i = 1; i <= count; i++) {
    name = names[i]
    if (!shimmed(name)) continue
    print "--wrap=P" name
    print "--defsym=P" name "=" name
  }
}
