// Says how the runtime of a service shall use the processors beside the service's own work.
//
// Bun collects garbage every second by a clock of its own, as long as the heap's size changes at
// all: of a service at rest that took three quarters of its time. Allocation still starts a
// collection as before.
//
// The last tier of its compiler optimizes what computes for long. A service that waits for Redis
// gains nothing by it: the time of its own thread stayed the same, and the compiler took a quarter
// of all its time in the first ten thousand claims.

/** Bun reads these at its start, in the environment of a service. */
export const quietRuntime = { BUN_GC_TIMER_INTERVAL: "30000", BUN_JSC_useFTLJIT: "0" };
