import type { After } from "../../../lib/async/after.ts";

/** A timer whose time passes when a test says so. */
export function setTime(): { after: After; pass(ms: number): void } {
  const jobs = new Map<() => void, number>();
  let nowMs = 0;
  return {
    after: (ms, job) => {
      const run = () => job();
      jobs.set(run, nowMs + ms);
      return () => void jobs.delete(run);
    },
    pass: (ms) => {
      nowMs += ms;
      for (const [run, atMs] of [...jobs]) if (atMs <= nowMs && jobs.delete(run)) run();
    },
  };
}
