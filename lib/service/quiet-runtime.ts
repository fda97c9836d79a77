// Bun collects garbage every second by a clock of its own, as long as the heap's size changes at all: of a service at rest that took three
// quarters of its time. What is allocated has itself collected as before.

/** For the environment of a service, which Bun reads at its start. */
export const quietRuntime = { BUN_GC_TIMER_INTERVAL: "30000" };
