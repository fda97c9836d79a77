// BullMQ under measurement, beside Sett on the same Redis: a queue here, a worker in a process of
// its own, defaults everywhere.
import { Queue, QueueEvents } from "bullmq";
import type { RedisServer } from "../support/redis/redis-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { now } from "./figures.ts";
import { type Running, startProcess } from "./processes.ts";
import { pollEveryMs } from "./sett-side.ts";

export class BullmqSide implements AsyncDisposable {
  readonly #queue: Queue;
  readonly #events: QueueEvents;
  readonly #worker: Running;

  private constructor(queue: Queue, events: QueueEvents, worker: Running) {
    this.#queue = queue;
    this.#events = events;
    this.#worker = worker;
  }

  static async start(redis: RedisServer): Promise<BullmqSide> {
    const connection = { url: redis.url };
    const queue = new Queue("bench", { connection });
    const events = new QueueEvents("bench", { connection });
    await events.waitUntilReady();
    const side = new BullmqSide(
      queue,
      events,
      startProcess("test/bench/bullmq-worker.ts", { REDIS_URL: redis.url }),
    );
    await side.latency();
    return side;
  }

  /** Milliseconds from adding a job to the start of its processing. */
  async latency(): Promise<number> {
    const began = now();
    const { id = "" } = await this.#queue.add("job", {});
    await Bun.sleep(pollEveryMs);
    const value = await waitFor(
      "the job",
      async () => (await this.#queue.getJob(id))?.returnvalue,
      { everyMs: pollEveryMs },
    );
    return Number(value) - began;
  }

  async throughput(jobs: number, window = 200): Promise<number> {
    const done = this.#nextCompleted(jobs);
    const began = performance.now();
    for (let from = 0; from < jobs; from += window)
      await Promise.all(
        Array.from({ length: Math.min(window, jobs - from) }, () => this.#queue.add("job", {})),
      );
    await done;
    return jobs / ((performance.now() - began) / 1_000);
  }

  #nextCompleted(count: number): Promise<string[]> {
    return new Promise((resolve) => {
      const values: string[] = [];
      const take = ({ returnvalue }: { returnvalue: string }) => {
        values.push(returnvalue);
        if (values.length < count) return;
        this.#events.off("completed", take);
        resolve(values);
      };
      this.#events.on("completed", take);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker[Symbol.asyncDispose]();
    await this.#events.close();
    await this.#queue.close();
  }
}
