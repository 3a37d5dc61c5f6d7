/* A library whose destructor function has output. */
#include <stdio.h>

void use_library(void) {}

__attribute__((destructor)) static void destructor(void) { puts("destructor of the library"); }
