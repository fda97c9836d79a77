// Measures the protocol itself, with nothing around it: no checks, fencing, audit data or log of
// the services. This is the most that an orchestrator of this design could reach on the machine.
import { type Client, newClient } from "../../lib/blackboard/redis/client.ts";
import type { RedisServer } from "../support/redis/redis-server.ts";
import { waitFor } from "../support/wait-for.ts";
import bareProtocol from "./bare-protocol.lua" with { type: "text" };
import { now } from "./figures.ts";
import { type Running, startProcess, together } from "./processes.ts";
import { type Clan, openAtOnce, pollEveryMs } from "./sett-side.ts";

export class BareSide implements AsyncDisposable {
  readonly #redis: Client;
  readonly #processes: Running;

  private constructor(redis: Client, processes: Running) {
    this.#redis = redis;
    this.#processes = processes;
  }

  /** Wants a Redis to itself: its keys have no prefix. */
  static async start(redis: RedisServer, clan: Clan): Promise<BareSide> {
    const client = newClient(redis.url, 3_000, 0);
    await client.connect();
    await client.functionLoad(bareProtocol, { REPLACE: true });
    const roles = ["orchestrator", ...Object.keys(clan)];
    const environment = { REDIS_URL: redis.url, BARE_BIDS: JSON.stringify(clan) };
    const processes = roles.map((role) =>
      startProcess("test/bench/bare-process.ts", { ...environment, BARE_ROLE: role }),
    );
    return new BareSide(client, together(processes));
  }

  /** Milliseconds from creating a goal to the start of its tool. */
  async latency(): Promise<number> {
    const done = (await this.#completed()) + 1;
    const began = now();
    await this.#create();
    await Bun.sleep(pollEveryMs);
    await waitFor("the claim", async () => (await this.#completed()) === done, {
      everyMs: pollEveryMs,
    });
    const events = (await this.#redis.xRevRange("events", "+", "-", { COUNT: 3 })) ?? [];
    const { artefact_id } = JSON.parse(
      events.find(({ message }) => message.type === "artefact_created")?.message.event ?? "{}",
    );
    return Number(await this.#redis.hGet(`artifact:${artefact_id}`, "payload")) - began;
  }

  async throughput(goals: number): Promise<number> {
    const before = await this.#completed();
    const began = performance.now();
    for (let stated = 0; stated < goals; await Bun.sleep(10)) {
      const room = Math.min(
        goals - stated,
        openAtOnce - (stated - ((await this.#completed()) - before)),
      );
      await Promise.all(Array.from({ length: Math.max(0, room) }, () => this.#create()));
      stated += Math.max(0, room);
    }
    const all = async () => (await this.#completed()) - before === goals;
    await waitFor("the last claim", all, { timeoutMs: 120_000, everyMs: pollEveryMs });
    return goals / ((performance.now() - began) / 1_000);
  }

  #create(): Promise<unknown> {
    return this.#redis.sendCommand(["FCALL", "bare_create", "0", crypto.randomUUID()]);
  }

  async #completed(): Promise<number> {
    return Number((await this.#redis.get("completed")) ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#processes[Symbol.asyncDispose]();
    this.#redis.destroy();
  }
}
