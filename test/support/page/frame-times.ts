// Measures how long a page's thread works for each frame while something is done with it, and how
// long the frames take.
import type { CDPSession, Page } from "playwright-core";

/** The time that each task of the page's thread took of the processor, between two frames. */
export class FrameTimes {
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #groups = new Map<string, { tasks: number[]; frames: number[] }>();

  private constructor(page: Page, session: CDPSession) {
    this.#page = page;
    this.#session = session;
  }

  static async of(page: Page): Promise<FrameTimes> {
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    return new FrameTimes(page, session);
  }

  /**
   * Resolves when the next frame is drawn, and notes what the page's thread has done until then.
   */
  async next(): Promise<void> {
    await this.#page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    this.#last?.tasks.push(await this.#taskMs());
  }

  #last: { tasks: number[]; frames: number[] } | undefined;
  #before = 0;

  /** Returns the times of the thread since the last call: no more than what one frame took. */
  async #taskMs(): Promise<number> {
    const { metrics } = await this.#session.send("Performance.getMetrics");
    const total = 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0);
    const spent = total - this.#before;
    this.#before = total;
    return spent;
  }

  async during(name: string, act: () => Promise<void>): Promise<void> {
    const group = { tasks: [], frames: [] as number[] };
    this.#groups.set(name, group);
    await this.#taskMs();
    this.#last = group;
    await this.#page.evaluate(() => {
      const frames: number[] = [];
      let before = performance.now();
      const tick = () => {
        const now = performance.now();
        frames.push(now - before);
        before = now;
        if ((Reflect.get(globalThis, "frameTimes") as unknown) === frames)
          requestAnimationFrame(tick);
      };
      Object.assign(globalThis, { frameTimes: frames });
      requestAnimationFrame(tick);
    });
    await act();
    await this.next();
    this.#last = undefined;
    group.frames = await this.#page.evaluate(() => {
      const frames = Reflect.get(globalThis, "frameTimes") as unknown as number[];
      Object.assign(globalThis, { frameTimes: undefined });
      return frames;
    });
  }

  /**
   * One frame in twenty takes longer than this, in milliseconds of the processor, by what was done.
   */
  high(): [name: string, ms: number][] {
    return [...this.#groups].map(([name, { tasks }]) => [name, shareOf(tasks, 0.95)]);
  }

  report(): string {
    const words = ({ tasks, frames }: { tasks: number[]; frames: number[] }) => {
      const [work, wall] = [tasks, frames].map((times) =>
        [0.5, 0.95, 1].map((share) => shareOf(times, share).toFixed(0)).join(" / "),
      );
      return `work ${work} ms, frames ${wall} ms (p50 / p95 / max, ${frames.length} frames)`;
    };
    return [...this.#groups].map(([name, group]) => `${name}: ${words(group)}`).join("\n");
  }
}

function shareOf(times: readonly number[], share: number): number {
  return times.toSorted((one, other) => one - other)[Math.floor(share * (times.length - 1))] ?? 0;
}
