// Waits for the mail of many agents. A read that waits for a thousand streams costs Redis and this
// process a millisecond each time that one of them has something, so that those who have sent
// something lately are waited for by themselves, and the others on a connection of their own.
import { sleep } from "../../async/sleep.ts";
import type { AgentName } from "../../model/ids.ts";
import { isLater } from "../../model/stream-id.ts";
import type { Mail } from "../port/mail-port.ts";
import type { Keys } from "../records/keys.ts";
import type { Client } from "./client.ts";
import type { Connection } from "./connection.ts";
import { blockMs } from "./follow.ts";
import { type MailBacklog, mailOfEntry } from "./mail-backlog.ts";
import type { StreamEntry } from "./streams.ts";

/**
 * The most of each agent at once, so that one who sends very much does not keep the others waiting.
 */
const mailsOfEach = 50;
/** The pause in which an agent must wait until what it has sent is dealt with. */
const backlogEveryMs = 100;
/**
 * So many agents are waited for by themselves: where there are no more, there is one connection.
 */
const maxBrisk = 20;

type Streams = { name: string; messages: StreamEntry[] }[];
/** `agents`: whose mail it brings. Null where none has come in time. */
type Waiting = {
  agents: ReadonlySet<AgentName>;
  outcome?: { reply: Streams | null } | { error: unknown };
};

type ReaderDeps = {
  connection: Pick<Connection, "connectAnother" | "once">;
  keys: Pick<Keys, "mailOut">;
  backlog: MailBacklog;
  readNames: (client: Client) => Promise<AgentName[]>;
};

export class MailReader {
  readonly #deps: ReaderDeps;
  readonly #isBusy: (agent: AgentName) => boolean;
  readonly #signal: AbortSignal;
  /** The last message of each agent that was read. */
  readonly #places = new Map<AgentName, string>();
  #names: AgentName[] = [];
  #agentOf = new Map<string, AgentName>();
  #isIdle = false;
  /** The agents that have sent something lately, the last one last. */
  readonly #lately = new Set<AgentName>();
  /** What both bring is passed over the second time. */
  #brisk: Waiting | undefined;
  #quiet: Waiting | undefined;
  #quietClient: Client | undefined;
  /** All that `#quiet` does not wait for. */
  #others: AgentName[] = [];
  #briskId = 0;
  #wake = () => {};

  constructor(deps: ReaderDeps, isBusy: (agent: AgentName) => boolean, signal: AbortSignal) {
    this.#deps = deps;
    this.#isBusy = isBusy;
    this.#signal = signal;
  }

  /** The next mail; of a connection that is new, all that is unanswered. */
  async read(client: Client, isFresh: boolean): Promise<Mail[]> {
    if (isFresh) this.#forget();
    if (isFresh || this.#isIdle) this.#setNames(await this.#deps.readNames(client));
    const { backlog } = this.#deps;
    backlog.add(isFresh ? this.#names : [...this.#places.keys()].filter(this.#isBusy));
    const first = await backlog.read(this.#places, this.#isBusy);
    const senders =
      backlog.size === 0 ? this.#names : this.#names.filter((name) => !backlog.has(name));
    if (senders.length === 0) {
      if (first.length === 0) await sleep(backlogEveryMs, this.#signal);
      return first;
    }
    const late = this.#quiet === undefined ? await this.#endWaitOfBrisk() : [];
    if (this.#quiet === undefined) await this.#waitForQuiet(senders);
    if (this.#brisk === undefined)
      await this.#waitForBrisk(client, senders, first.length + late.length > 0);
    await this.#until(
      () => this.#brisk?.outcome !== undefined || this.#quiet?.outcome !== undefined,
    );
    return [...first, ...late, ...this.#take()];
  }

  close(): void {
    this.#quietClient?.destroy();
    this.#quietClient = undefined;
  }

  #forget(): void {
    this.close();
    this.#places.clear();
    [this.#brisk, this.#quiet, this.#isIdle, this.#briskId] = [undefined, undefined, false, 0];
  }

  #setNames(names: AgentName[]): void {
    this.#names = names;
    this.#noteOthers();
    this.#agentOf = new Map(names.map((name) => [this.#deps.keys.mailOut(name), name]));
    for (const name of names) if (this.#lately.size < maxBrisk) this.#lately.add(name);
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue())
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  /**
   * Where it does not wait for one who has sent something lately. What it has brought meanwhile.
   */
  async #endWaitOfBrisk(): Promise<Mail[]> {
    const brisk = this.#brisk;
    if (
      brisk === undefined ||
      this.#briskId === 0 ||
      [...this.#lately].every((name) => brisk.agents.has(name))
    )
      return [];
    // Again where the read had not reached Redis yet.
    while (brisk.outcome === undefined) if (!(await this.#unblock())) return [];
    const mails = this.#take();
    this.#isIdle = false;
    return mails;
  }

  /** False where it cannot be done: then the mail costs more, and comes all the same. */
  async #unblock(): Promise<boolean> {
    const words = ["CLIENT", "UNBLOCK", String(this.#briskId)];
    return this.#deps.connection
      .once((client) => client.sendCommand(words))
      .then(
        () => true,
        () => false,
      );
  }

  /** For those whose mail the other read does not bring. */
  async #waitForQuiet(senders: readonly AgentName[]): Promise<void> {
    const brisk = this.#brisk;
    const agents = senders.filter(
      (name) => !(this.#lately.has(name) && (brisk === undefined || brisk.agents.has(name))),
    );
    if (agents.length === 0) return;
    this.#quietClient ??= await this.#deps.connection.connectAnother(blockMs);
    this.#quiet = this.#wait(this.#quietClient, agents, { BLOCK: blockMs });
    this.#noteOthers();
  }

  #noteOthers(): void {
    const quiet = this.#quiet;
    this.#others = quiet === undefined ? [] : this.#names.filter((name) => !quiet.agents.has(name));
  }

  /** Its connection ends with the signal, so that it always waits for some. */
  async #waitForBrisk(
    client: Client,
    senders: readonly AgentName[],
    isInHurry: boolean,
  ): Promise<void> {
    if (this.#quiet !== undefined && this.#briskId === 0) this.#briskId = await client.clientId();
    const { backlog } = this.#deps;
    const some = this.#quiet === undefined ? senders : new Set([...this.#lately, ...this.#others]);
    const agents = backlog.size === 0 ? [...some] : [...some].filter((name) => !backlog.has(name));
    const wait = isInHurry ? {} : { BLOCK: backlog.size > 0 ? backlogEveryMs : blockMs };
    this.#brisk = this.#wait(client, agents.length > 0 ? agents : senders, wait);
  }

  #wait(client: Client, agents: readonly AgentName[], wait: { BLOCK?: number }): Waiting {
    const waiting: Waiting = { agents: new Set(agents) };
    const streams = agents.map((name) => ({
      key: this.#deps.keys.mailOut(name),
      id: this.#places.get(name) ?? "0",
    }));
    const end = (outcome: NonNullable<Waiting["outcome"]>) => {
      waiting.outcome = outcome;
      this.#wake();
    };
    client.xRead(streams, { ...wait, COUNT: mailsOfEach }).then(
      // node-redis types what it reads from several streams as unknown.
      (reply) => end({ reply: reply as Streams | null }),
      (error: unknown) => end({ error }),
    );
    return waiting;
  }

  #take(): Mail[] {
    const mails: Mail[] = [];
    if (this.#quiet?.outcome !== undefined) {
      const { outcome } = this.#quiet;
      this.#quiet = undefined;
      if ("error" in outcome) throw outcome.error;
      mails.push(...this.#mailsOf(outcome.reply));
    }
    if (this.#brisk?.outcome !== undefined) {
      const { outcome } = this.#brisk;
      this.#brisk = undefined;
      if ("error" in outcome) throw outcome.error;
      this.#isIdle = outcome.reply === null;
      mails.push(...this.#mailsOf(outcome.reply));
    }
    return mails;
  }

  #mailsOf(streams: Streams | null): Mail[] {
    return (streams ?? []).flatMap(({ name, messages }) => {
      const agent = this.#agentOf.get(name);
      if (agent === undefined) return [];
      const place = this.#places.get(agent) ?? "0";
      const fresh = messages.filter(({ id }) => isLater(id, place));
      this.#places.set(agent, fresh.at(-1)?.id ?? place);
      this.#noteSender(agent);
      return fresh.map(({ id, message }) => mailOfEntry(agent, id, message));
    });
  }

  #noteSender(agent: AgentName): void {
    this.#lately.delete(agent);
    this.#lately.add(agent);
    for (const oldest of this.#lately) {
      if (this.#lately.size <= maxBrisk) break;
      this.#lately.delete(oldest);
    }
  }
}
