// Code of libemu in huge pages, which the forked ranks share.
#pragma once

namespace emu::mpi {

// Moves the code of libemu from the pages of its file to huge pages of memory. Each forked rank then has two entries in
// its page table for the code in place of hundreds, and the code causes no page faults. The code stays in the pages of
// the file if the kernel makes no huge pages (Linux before 6.1), or if the dynamic linker does not align the code to
// them (the GNU C library before 2.35). Called by the first process while no other thread runs code of libemu.
void move_text_to_huge_pages();

}  // namespace emu::mpi
