// Common parts of the cases of noticed.c.
#ifndef NOTICED_H
#define NOTICED_H

#include <mpi.h>

extern int rank;
extern char text[4096];  // the rank's output
extern char long_message[200];

const char* name(int code);  // name of its class
// A line: the word, the class of the code, the clock.
void note(const char* word, int code);
void picoseconds(double n);  // computes for n picoseconds
void work(void);             // for the rank that fails: it works until then

void collectives(void);
void making(void);
void connects(void);
void copies_connected(void);
void merges(void);
void graphs(void);
void shrinks(void);
void polls(void);
void shrinks_before(void);
void windows(void);
void locks(void);
void waits_for_lock(void);

#endif
