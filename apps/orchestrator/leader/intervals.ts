// How often each loop of a leadership looks, and how long it rests.

/**
 * Deadlines of agents are seconds, and may be noticed so much later. What is due sooner than
 * `soonMs` rings when it is.
 */
export const dueEveryMs = 1_000;
export const soonMs = 5_000;
/** Bids that people write into a claim's hash count within ten seconds. */
export const bidsEveryMs = 3_000;
export const scanEveryMs = 15_000;
/** Between the parts of a scan. */
export const scanPartEveryMs = 1_000;
/**
 * Lost hints and broken records are found by a round through all open claims; a long one is spread
 * over time.
 */
export const roundEveryMs = 15_000;
export const pageEveryMs = 250;
export const cursorEveryMs = 200;
/** An event that waits for so much longer is noticed; health tolerates 30 s. */
export const measureEveryMs = 5_000;
/**
 * An event that could not be handled is tried again, and where nothing is wrong that is one read of
 * an empty hash.
 */
export const owedEveryMs = 5_000;
export const publishedEveryMs = 100;
/**
 * How long a loop rests whose bell rings when it has something to do: a bell that did not ring must
 * cost no more than a delay.
 */
export const restMs = 15_000;
/** What is to go after days need not go within the hour. */
export const oldEventsEveryMs = 3_600_000;
export const silentEveryMs = 1_000;
export const watchEveryMs = 2_000;
/** An agent is silent after ten seconds at least. */
export const workersEveryMs = 4_000;
/**
 * After a pool of workers could not start (the container runtime does not answer), or the notifier
 * has failed (Redis is unreachable).
 */
export const restartAfterMs = 1_000;
