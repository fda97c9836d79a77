/** Notices between two checks that this process, or its whole machine, was stopped. */
export class SleepWatch {
  #passedMs = performance.now();
  #wallMs = Date.now();

  /** True when the last check was longer ago than `maxMs`. */
  hasSlept(maxMs: number): boolean {
    const [passedMs, wallMs] = [performance.now(), Date.now()];
    // A machine that slept shows only in the clock that can be set, a process that was stopped also
    // in the other one.
    const gapMs = Math.max(passedMs - this.#passedMs, wallMs - this.#wallMs);
    this.#passedMs = passedMs;
    this.#wallMs = wallMs;
    return gapMs > maxMs;
  }
}
