// Follows the log of a run and lets the planned faults happen, each at its place.
import { rm, writeFile } from "node:fs/promises";
import { SerialByKey } from "../../lib/async/serial-by-key.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { EventType, SettEvent } from "../../lib/model/event.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import type { Breakable } from "../support/http/link.ts";
import { refuseFunction } from "../support/redis/refuse-function.ts";
import { brokenMark, clan, retries } from "./clan.ts";
import type { Fault, PlannedFault } from "./faults.ts";
import type { Part } from "./supervised.ts";
import { turnBackClock } from "./turn-back-clock.ts";
import type { World } from "./world.ts";

/** One attempt of each grant is left for a tool that fails by itself. */
const maxFaultsOfAgent = retries - 1;

/** A way there and back takes 300 ms, and a hundredth of what is sent is lost. */
const badWeather = { delayMs: 150, lossShare: 0.01 };

const silent = createJsonLog(
  () => {},
  () => new Date(),
);

const workEnds = new Set<EventType>([
  "grant_done",
  "grant_failed",
  "grant_waiting",
  "grant_cancelled",
]);

export class Saboteur {
  readonly #world: World;
  readonly #planned: PlannedFault[];
  /** Two faults of one thing come one after the other. */
  readonly #byTarget = new SerialByKey<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #faultsOf = new Map<string, number>();
  readonly #working = new Set<string>();
  #events = 0;
  #leader = "";
  /** The faults so far, in words. */
  readonly done: string[] = [];

  constructor(world: World, planned: readonly PlannedFault[]) {
    this.#world = world;
    this.#planned = [...planned];
  }

  /** Until the signal aborts; what is frozen or down then comes back first. */
  async run(signal: AbortSignal): Promise<void> {
    for await (const batch of this.#world.board.followEvents("0", signal)) {
      for (const event of batch) {
        this.#apply(event);
        while (this.#events >= (this.#planned[0]?.afterEvents ?? Number.POSITIVE_INFINITY)) {
          const fault = this.#planned.shift();
          if (fault !== undefined) this.#begin(fault, signal);
        }
      }
    }
    await Promise.all(this.#underWay);
  }

  /** Nothing is frozen or down because of a fault. */
  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  #apply({ type, agent, data }: SettEvent): void {
    this.#events += 1;
    if (type === "orchestrator_started") this.#leader = String(data?.holder);
    if (agent === undefined) return;
    if (type === "grant_started") this.#working.add(agent);
    else if (workEnds.has(type)) this.#working.delete(agent);
  }

  #begin(fault: PlannedFault, signal: AbortSignal): void {
    const happening = sleep(fault.delayMs, signal)
      .then(() => this.#happen(fault, signal))
      .finally(() => this.#underWay.delete(happening));
    this.#underWay.add(happening);
  }

  #happen(fault: Fault, signal: AbortSignal): Promise<void> | undefined {
    const { redis, disk, board, folder, cubs, orchestrators, startOrchestrator } = this.#world;
    switch (fault.kind) {
      case "kill cub":
      case "freeze cub": {
        const agent = this.#agentFor(fault.agent);
        return agent === undefined
          ? undefined
          : this.#breakProcess(fault, agent, cubs.get(agent), signal);
      }
      case "break tool":
        return this.#break(
          { ...fault, description: `break tool of ${fault.agent}` },
          fault.agent,
          async () => {
            await writeFile(brokenMark(folder, fault.agent), "");
            await sleep(fault.downMs, signal);
            await rm(brokenMark(folder, fault.agent));
          },
        );
      case "remove agent":
        return this.#break(
          { ...fault, description: `remove ${fault.agent}` },
          "registrations",
          async () => {
            const { clan: all } = this.#world;
            await this.#register(all.filter(({ name }) => name !== fault.agent));
            const comeBack = await cubs.get(fault.agent)?.halt();
            await sleep(fault.downMs, signal);
            await this.#register(all);
            await comeBack?.();
          },
        );
      case "kill orchestrator":
      case "freeze orchestrator": {
        const among = [...orchestrators.keys()];
        const isMeant = (one: string) => (one === this.#leader) === (fault.whom === "leader");
        const holder = among.length === 1 ? String(among[0]) : (among.find(isMeant) ?? "");
        return this.#breakProcess(
          fault,
          `${fault.whom} ${holder}`,
          orchestrators.get(holder),
          signal,
        );
      }
      case "cut link":
      case "silence link":
        return this.#breakLink(fault, async (link) => {
          const mend = fault.kind === "cut link" ? link.cut() : link.silence();
          await sleep(fault.downMs, signal);
          mend();
        });
      case "slow link":
        return this.#breakLink(fault, async (link) => {
          link.slow(badWeather);
          await sleep(fault.downMs, signal);
          link.slow({ delayMs: 0, lossShare: 0 });
        });
      case "kill service":
      case "freeze service": {
        const services = [...(this.#world.far?.services ?? [])];
        const [name, part] = services[fault.service % services.length] ?? [];
        return this.#breakProcess(fault, `service ${name}`, part, signal);
      }
      case "kill redis":
        return this.#break(fault, "redis", async () => {
          await redis.kill();
          await sleep(fault.downMs, signal);
          await redis.start();
        });
      case "freeze redis":
      case "stall redis":
        return this.#break(fault, "redis", async () => {
          await redis.freeze();
          await sleep(fault.downMs, signal);
          await redis.unfreeze();
        });
      case "fill memory":
        return this.#break({ ...fault, description: "fill memory" }, "redis", async () => {
          const [, before = "0"] = (await redis.cli("CONFIG", "GET", "maxmemory")).split("\n");
          await redis.cli("CONFIG", "SET", "maxmemory", "1mb");
          await sleep(fault.downMs, signal);
          await redis.cli("CONFIG", "SET", "maxmemory", before);
        });
      case "fill disk":
        if (disk === undefined) return this.#skip(fault, "it has no small one");
        return this.#break({ ...fault, description: "fill disk" }, "redis", async () => {
          await disk.fill();
          await sleep(fault.downMs, signal);
          await disk.relieve();
        });
      case "break function":
        return this.#break(
          { ...fault, description: `break function ${fault.name}` },
          "redis",
          async () => {
            const repair = await refuseFunction(redis.url, fault.name);
            await sleep(fault.downMs, signal);
            await repair();
          },
        );
      case "turn back clock":
        return this.#break(
          { ...fault, description: `turn back clock ${fault.byMs / 1_000} s` },
          "redis",
          () => turnBackClock(redis, board.instance, fault.byMs),
        );
      case "double orchestrator":
        return this.#break(
          { ...fault, description: `double ${this.#leader}` },
          "leader",
          async () => {
            await using _double = startOrchestrator?.(this.#leader);
            await sleep(fault.downMs, signal);
          },
        );
      case "garbage":
        return this.#break(
          { ...fault, description: `garbage in ${fault.stream}: ${fault.fields.join(" ")}` },
          "redis",
          async () => {
            await redis.cli("XADD", `sett:${board.instance}:${fault.stream}`, "*", ...fault.fields);
          },
        );
      default:
        return unreachable(fault);
    }
  }

  #breakLink(fault: Fault, job: (link: Breakable) => Promise<void>): Promise<void> | undefined {
    const link = this.#world.far?.link;
    if (link === undefined) return this.#skip(fault, "there is no link to it");
    return this.#break({ ...fault, description: fault.kind }, "link", () => job(link));
  }

  #breakProcess(
    fault: Fault,
    name: string,
    part: Part | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    return this.#break(fault, name, async () => {
      if (part === undefined) throw new Error(`There is no process of ${name}.`);
      if (fault.downMs === 0) return part.kill();
      const thaw = await part.freeze();
      await sleep(fault.downMs, signal);
      await thaw();
    });
  }

  /** `description`: what happens, in other words than the kind's and the target's. */
  #break(
    { kind, downMs, description }: Fault & { description?: string },
    target: string,
    job: () => Promise<void>,
  ): Promise<void> {
    return this.#byTarget.run(target, () => {
      const lasting = downMs === 0 ? "" : ` ${(downMs / 1_000).toFixed(1)} s`;
      this.done.push(
        `${description ?? `${kind.replace(/ \w+$/, "")} ${target}`}${lasting} @${this.#events}`,
      );
      return job();
    });
  }

  #skip({ kind }: Fault, reason: string): undefined {
    this.done.push(`SKIPPED ${kind}: ${reason}`);
  }

  /** However long it takes to get through: nothing that is broken may stay so. */
  #register(agents: typeof clan): Promise<void> {
    const { board } = this.#world;
    const job = () => board.registerAgents(agents, "person:chaos", { exact: true });
    return untilContact(job, { signal: new AbortController().signal, log: silent });
  }

  /** An agent that is at work, while there is one; none that would run out of retries. */
  #agentFor(planned: string): string | undefined {
    const isLeft = (agent: string) => (this.#faultsOf.get(agent) ?? 0) < maxFaultsOfAgent;
    const everybody = [...this.#working, planned, ...clan.map(({ name }) => name)];
    const agent = everybody.find(isLeft);
    if (agent !== undefined) this.#faultsOf.set(agent, (this.#faultsOf.get(agent) ?? 0) + 1);
    return agent;
  }
}
