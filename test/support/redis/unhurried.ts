// For a test's own client of Redis: left out, the library ends each command after five seconds,
// which one of many may wait on a busy machine.

/** Options of `createClient`, whose types do not say that undefined means no limit. */
export const unhurried = { commandOptions: { timeout: undefined } as object };
