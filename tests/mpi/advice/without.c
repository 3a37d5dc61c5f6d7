/* Without libemu there is no advice, and a message. */
#include <stdio.h>
#include <string.h>

#include "emu/emu.h"

int main(void) {
  emu_loop loop = {0};
  emu_advice advice;
  char message[100];
  loop.iterations = 10;
  loop.workers = 1;
  if (emu_advise(&loop, &advice, message, sizeof message) != EMU_ADVICE_UNAVAILABLE) return 1;
  if (emu_advise(&loop, &advice, NULL, 0) != EMU_ADVICE_UNAVAILABLE) return 1;
  puts(message);
  return strstr(message, "not linked with libemu") ? 0 : 1;
}
