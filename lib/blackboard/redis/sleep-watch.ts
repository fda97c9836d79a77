/** Notices between two looks that this process, or its whole machine, stood still. */
export class SleepWatch {
  #passedMs = performance.now();
  #wallMs = Date.now();

  /** True when the last look was longer ago than that. */
  hasSlept(maxMs: number): boolean {
    const [passedMs, wallMs] = [performance.now(), Date.now()];
    // A machine that slept shows only in the clock that people set, a process that was stopped also in the other one.
    const gapMs = Math.max(passedMs - this.#passedMs, wallMs - this.#wallMs);
    this.#passedMs = passedMs;
    this.#wallMs = wallMs;
    return gapMs > maxMs;
  }
}
