// Ctrl-C in mid-run: a flag the probes look at between samples.
#pragma once

namespace gonogo::bench {

/// From now on the first SIGINT or SIGTERM sets the flag; a second one ends the program at once.
void watch_interrupts();
[[nodiscard]] bool interrupted();

}  // namespace gonogo::bench
