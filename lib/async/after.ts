// A timer that is passed in, so that what a silence ends can be tested without waiting.

/** Calls `job` once when `ms` have passed, unless what is returned is called before. */
export type After = (ms: number, job: () => void) => () => void;

export const systemAfter: After = (ms, job) => {
  const timer = setTimeout(job, ms);
  return () => clearTimeout(timer);
};
