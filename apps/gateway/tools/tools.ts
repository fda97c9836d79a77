// The tools of MCP servers that agents may call: who may call which, within which limits, and the
// record of each call.

import { nanosPerUsd } from "../../../lib/model/amounts.ts";
import {
  headersFile,
  ToolHeaders,
  type ToolServerSettings,
} from "../../../lib/model/config-tools.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { AgentName, ArtefactId } from "../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { Deps } from "../deps.ts";
import { workOf } from "../handle-call.ts";
import { askPerson } from "./ask-person.ts";
import { chargeCall, type ToolBudgets } from "./charge-call.ts";
import { type Definition, shownDefinition } from "./definitions.ts";
import { KnownDefinitions } from "./known-definitions.ts";
import { hideSecrets } from "./outside-text.ts";
import { answerOf, refusal, type ToolAnswer } from "./tool-answer.ts";
import { type NamedTool, type ToolCaller, toolNames } from "./tool-names.ts";
import { isAnswer, openSession, type ToolSession } from "./tool-session.ts";

export type ToolDeps = Pick<Deps, "board" | "keys" | "bodies" | "log" | "clock" | "newId"> & {
  budgets: ToolBudgets;
  servers: ReadonlyMap<string, ToolServerSettings>;
  agents: ReadonlyMap<string, readonly string[]>;
  /** It keeps what servers have said of their tools. */
  folder: string;
  version: string;
  /** A server that hangs keeps an agent for no longer from the tools of others. */
  listMs?: number;
};

/** `calls`: those that run. `isDropped`: it is closed once none does. */
type Open = {
  session: ToolSession;
  definitions: Map<string, Definition>;
  usedAtMs: number;
  lists: number;
  calls: number;
  isDropped: boolean;
};
type Outcome = "ok" | "error" | "asked" | "refused" | "failed";

const maxSessions = 100;
const idleMs = 10 * 60_000;
const maxWorks = 1_000;
const usualListMs = 30_000;
/** A response may hold more than an agent gets, since the rest is left out. */
const maxBytesOf = (answerLength: number) => Math.max(1024 * 1024, 4 * answerLength);

export class Tools {
  readonly #deps: ToolDeps;
  readonly #known: KnownDefinitions;
  readonly #names = new Map<string, ReadonlyMap<string, NamedTool>>();
  /** By work and server; the one that was not used for the longest time comes first. */
  readonly #sessions = new Map<string, Promise<Open>>();
  readonly #counts = new Map<string, number>();

  constructor(deps: ToolDeps) {
    this.#deps = deps;
    this.#known = new KnownDefinitions(deps.folder);
    for (const [agent, uses] of deps.agents) this.#names.set(agent, toolNames(deps.servers, uses));
  }

  /** Undefined: the agent has no tools in sett.yml. */
  namesOf(agent: AgentName): ReadonlyMap<string, NamedTool> | undefined {
    return this.#names.get(agent);
  }

  /** Those of servers that answer; others have a line in the log. */
  async list(of: ToolCaller, signal: AbortSignal) {
    const names = [...(this.namesOf(of.token.agent) ?? [])];
    const servers = [...new Set(names.map(([, { server }]) => server))];
    const until = AbortSignal.any([signal, AbortSignal.timeout(this.#deps.listMs ?? usualListMs)]);
    const found = await Promise.all(
      servers.map(async (server) => {
        try {
          return [server, (await this.#open(of, server, until, true)).definitions] as const;
        } catch (error) {
          this.#deps.log.warn("An MCP server does not answer", {
            ...{ server, problem: this.#hide(messageOf(error), await this.#headersOf(server)) },
          });
          return [server, new Map<string, Definition>()] as const;
        }
      }),
    );
    const definitions = new Map(found);
    const shownTools = names.flatMap(([shown, named]) => {
      const { server, name, digest } = named;
      const definition = definitions.get(server)?.get(name);
      if (definition === undefined || !isAllowed(definition, digest)) return [];
      return [{ server, tool: shownDefinition(shown, named, definition) }];
    });
    return await Promise.all(
      shownTools.map(async ({ server, tool }): Promise<typeof tool> => {
        const text = this.#hide(JSON.stringify(tool), await this.#headersOf(server));
        return JSON.parse(text);
      }),
    );
  }

  /** Never rejects: the model that has asked reads why, and may go on. */
  async call(
    of: ToolCaller,
    shown: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    const named = this.namesOf(of.token.agent)?.get(shown);
    if (named === undefined)
      return refusal(`sett.yml allows this agent no tool \`${shown.slice(0, 100)}\`.`);
    const startedMs = this.#deps.clock.passedMs();
    const headers = await this.#headersOf(named.server);
    const done = await this.#try(of, named, { args, hidden: headers.hidden }, signal);
    const text = hideSecrets(JSON.stringify(done.answer), headers.hidden);
    const answer: ToolAnswer = JSON.parse(text);
    if (done.isKnown === true) return answer;
    const request = JSON.stringify({ server: named.server, tool: named.name, arguments: args });
    await this.#record(of, named, {
      ...{ ...done, startedMs },
      problem: done.problem && this.#hide(done.problem, headers),
      request: hideSecrets(request, headers.hidden),
      answer: text,
    });
    return answer;
  }

  async #try(
    of: ToolCaller,
    named: NamedTool,
    wanted: { args: unknown; hidden: readonly string[] },
    signal: AbortSignal,
  ): Promise<Done> {
    const { server, name } = named;
    const settings = this.#settingsOf(server);
    const work = `${workOf(of.token)}/${of.token.agent}/${server}`;
    const count = this.#count(work);
    if (count > settings.calls)
      return {
        ...refused(
          `This work has made the ${settings.calls} calls of \`${server}\` that sett.yml allows it.`,
        ),
        // One on record says it: more would fill the record.
        isKnown: count > settings.calls + 1,
      };
    const limit = AbortSignal.timeout(settings.timeout_ms);
    const until = AbortSignal.any([signal, limit]);
    let open: Open | undefined;
    let permit: Permit | Done | undefined;
    try {
      open = await this.#open(of, server, until);
      open.calls += 1;
      permit = await this.#permit(of, named, wanted, open.definitions.get(name));
      if ("answer" in permit) return permit;
      const raw = await open.session.call(name, wanted.args, until);
      const answer = answerOf(raw, settings.answer_length);
      return { ...permit, answer, outcome: answer.isError === true ? "error" : "ok" };
    } catch (error) {
      // What it was in is in doubt: the next call begins a new session.
      if (!isAnswer(error)) this.#drop(work);
      if (limit.aborted)
        return {
          ...permit,
          ...failed(
            `\`${server}\` did not answer within ${settings.timeout_ms / 1_000} s. Whether it has done something is not known.`,
          ),
        };
      const words = messageOf(error);
      return {
        ...{ ...permit, outcome: "failed", problem: words },
        answer: refusal(`The call of \`${server}\` failed. This is what is known of it:`, {
          server,
          words,
        }),
      };
    } finally {
      if (open !== undefined) {
        open.calls -= 1;
        this.#closeIfDone(open);
      }
    }
  }

  /** Whether the call may be made; it is charged then, and the yes of a person is used up. */
  async #permit(
    of: ToolCaller,
    named: NamedTool,
    wanted: { args: unknown; hidden: readonly string[] },
    definition: Definition | undefined,
  ): Promise<Permit | Done> {
    const { server, name } = named;
    if (definition === undefined)
      return refused(`The server \`${server}\` has no tool \`${name}\` that can be used.`);
    const { digest } = definition;
    if (!isAllowed(definition, named.digest))
      return refused(
        `What \`${server}\` says of \`${name}\` has changed: its digest is sha256:${digest}, and sett.yml allows another. A person has to look at it.`,
      );
    const word = named.isAsked ? await askPerson(this.#deps, of, { named, ...wanted }) : undefined;
    if (word?.outcome === "refused") return refused(word.sentence);
    if (word?.outcome === "waits") return waiting(word.sentence);
    const { call_nanousd: price } = this.#settingsOf(server);
    const charge = await chargeCall(this.#deps, of, { server, nanousd: price });
    if ("sentence" in charge) return refused(charge.sentence);
    return { digest, allowedBy: word?.answer, nanousd: charge.nanousd };
  }

  #count(work: string): number {
    const count = (this.#counts.get(work) ?? 0) + 1;
    this.#counts.delete(work);
    this.#counts.set(work, count);
    for (const key of this.#counts.keys()) {
      if (this.#counts.size <= maxWorks) break;
      this.#counts.delete(key);
    }
    return count;
  }

  /** `isFresh`: the server is asked again for what its tools are. */
  async #open(of: ToolCaller, server: string, signal: AbortSignal, isFresh = false): Promise<Open> {
    const key = `${workOf(of.token)}/${of.token.agent}/${server}`;
    this.#makeRoom();
    const known = this.#sessions.get(key);
    const opening = known ?? this.#begin(of, server, signal);
    this.#sessions.delete(key);
    this.#sessions.set(key, opening);
    try {
      const open = await opening;
      open.usedAtMs = this.#deps.clock.passedMs();
      // Nothing else bounds how often an agent asks.
      if (known !== undefined && isFresh && open.lists++ < this.#settingsOf(server).calls)
        open.definitions = await this.#listOf(of, server, open.session, signal);
      return open;
    } catch (error) {
      if (this.#sessions.get(key) === opening) this.#sessions.delete(key);
      throw error;
    }
  }

  async #begin(of: ToolCaller, server: string, signal: AbortSignal): Promise<Open> {
    const { url, timeout_ms, answer_length, needs_headers } = this.#settingsOf(server);
    const { headers } = await this.#headersOf(server);
    if (needs_headers && Object.keys(headers).length === 0)
      throw new Error(
        `The gateway has no headers for \`${server}\`: run \`sett up\`, which brings them again.`,
      );
    const session = await openSession(
      {
        ...{ url, headers, timeoutMs: timeout_ms, version: this.#deps.version },
        maxBytes: maxBytesOf(answer_length),
      },
      signal,
    );
    const definitions = await this.#listOf(of, server, session, signal).catch(async (error) => {
      await session.close().catch(() => {});
      throw error;
    });
    const usedAtMs = this.#deps.clock.passedMs();
    return { session, definitions, usedAtMs, lists: 0, calls: 0, isDropped: false };
  }

  async #listOf(of: ToolCaller, server: string, session: ToolSession, signal: AbortSignal) {
    const wanted = [...(this.namesOf(of.token.agent) ?? [])].map(([, named]) => named);
    const own = wanted.filter((named) => named.server === server);
    const definitions = await session.list(new Set(own.map(({ name }) => name)), signal);
    for (const [name, { digest }] of definitions) {
      const before = await this.#known.note(server, name, digest);
      if (before === undefined) continue;
      const { digest: pinned } = own.find((one) => one.name === name) ?? {};
      this.#deps.log.warn("An MCP server says something else of a tool", {
        server,
        tool: name,
        digest,
      });
      await this.#deps.board.logEvent(
        {
          type: "tool_changed",
          ...{ goal_id: of.caller.goal_id, claim_id: of.caller.claim_id },
          agent: of.caller.agent,
          data: { server, tool: name, digest, before, is_refused: (pinned ?? digest) !== digest },
        },
        "gateway",
      );
    }
    return definitions;
  }

  #makeRoom(): void {
    const now = this.#deps.clock.passedMs();
    for (const [key, opening] of this.#sessions) {
      if (this.#sessions.size >= maxSessions) this.#drop(key);
      else void this.#dropIfIdle(key, opening, now);
    }
  }

  async #dropIfIdle(key: string, opening: Promise<Open>, now: number): Promise<void> {
    const open = await opening.catch(() => undefined);
    if (open !== undefined && now - open.usedAtMs > idleMs) this.#drop(key);
  }

  /** A server that hangs keeps no call waiting for the end of its session. */
  #drop(key: string): void {
    const opening = this.#sessions.get(key);
    this.#sessions.delete(key);
    void opening
      ?.then((open) => {
        open.isDropped = true;
        this.#closeIfDone(open);
      })
      .catch(() => {});
  }

  /** Other calls of the same work may still run in it. */
  #closeIfDone({ session, calls, isDropped }: Open): void {
    if (isDropped && calls === 0) void session.close().catch(() => {});
  }

  #settingsOf(server: string): ToolServerSettings {
    const settings = this.#deps.servers.get(server);
    if (settings === undefined) throw new Error(`There is no server \`${server}\`.`);
    return settings;
  }

  async #headersOf(server: string): Promise<ToolHeaders> {
    const text = await this.#deps.keys.read(headersFile(server));
    return text === undefined ? { headers: {}, hidden: [] } : ToolHeaders.parse(JSON.parse(text));
  }

  #hide(text: string, { hidden }: ToolHeaders): string {
    return hideSecrets(text, hidden);
  }

  async #record(
    { caller }: ToolCaller,
    { server, name }: NamedTool,
    call: ToRecord,
  ): Promise<void> {
    const { bodies, board, clock, newId, log } = this.#deps;
    const keep = (text: string) => bodies.keep(new TextEncoder().encode(text), "application/json");
    const [request, answer] = [keep(call.request), keep(call.answer)];
    const { goal_id, claim_id, artefact_id, agent, attempt } = caller;
    const data = {
      ...{ call: newId(), attempt, server, tool: name, outcome: call.outcome },
      duration_ms: Math.round(clock.passedMs() - call.startedMs),
      ...{ bytes: answer.bytes, request: request.digest, answer: answer.digest },
      ...withoutUndefined({ problem: call.problem?.slice(0, 300), description: call.digest }),
      ...withoutUndefined({ allowed_by: call.allowedBy }),
      ...(call.nanousd !== undefined && { usd: call.nanousd / nanosPerUsd }),
    };
    log.info("Tool called", { server, tool: name, agent, outcome: call.outcome });
    await board.logEvent(
      { type: "tool_called", goal_id, claim_id, artefact_id, agent, data },
      "gateway",
    );
  }
}

/**
 * A call that may be made. `digest`: of the tool's description. `allowedBy`: the person's answer
 * that has allowed it. `nanousd`: what it costs, where that is known.
 */
type Permit = {
  digest: string;
  allowedBy: ArtefactId | undefined;
  nanousd: number | undefined;
};

type Done = Partial<Permit> & {
  answer: ToolAnswer;
  outcome: Outcome;
  problem?: string;
  /** One like it is on record, and this one is not. */
  isKnown?: boolean;
};

type ToRecord = Pick<Done, "outcome" | keyof Permit> & {
  problem: string | undefined;
  startedMs: number;
  request: string;
  answer: string;
};

function isAllowed({ digest }: Definition, pinned: string | undefined): boolean {
  return pinned === undefined || pinned === digest;
}

function refused(sentence: string): Done {
  return { outcome: "refused", problem: sentence, answer: refusal(sentence) };
}

function waiting(sentence: string): Done {
  return { outcome: "asked", answer: { ...refusal(sentence), _meta: { "sett/waits": true } } };
}

function failed(sentence: string): Done {
  return { outcome: "failed", problem: sentence, answer: refusal(sentence) };
}
