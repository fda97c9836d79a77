// Reads what agents send, and writes it into the record where it is theirs to say. Who sends is known from the key of the stream alone.
import { backOffMs } from "../../lib/async/back-off.ts";
import { SerialByKey } from "../../lib/async/serial-by-key.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { GrantResult } from "../../lib/blackboard/grant-port.ts";
import { Envelope, type Message, type Reply, type RunStart } from "../../lib/blackboard/mail.ts";
import type { Mail } from "../../lib/blackboard/mail-port.ts";
import { mailedResultProblem } from "../../lib/blackboard/mailed-result.ts";
import type { Refused } from "../../lib/blackboard/refused.ts";
import type { Claim, Grant, RunningGrant } from "../../lib/model/claim.ts";
import { messageOf } from "../../lib/model/errors.ts";
import type { AgentName, ClaimId } from "../../lib/model/ids.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import { withoutUndefined } from "../../lib/model/without-undefined.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import type { AgentCache } from "./agent-cache.ts";
import { type Deps, Fenced } from "./deps.ts";
import { MailRefusals } from "./mail-refusals.ts";

/** What an agent sends beyond that waits in its stream: so many short messages, or about 50 MiB of long ones. */
const maxUnderWay = 200;
const lengthOfShort = 256 * 1024;
/** Of a sentence that may have words of the agent's in it. It goes into the log. */
const maxReasonLength = 500;

type Sender = { agent: AgentName; host: string | undefined };

export class PostOffice {
  readonly #deps: Deps;
  readonly #agentCache: AgentCache;
  readonly #grantLeaseMs: number;
  readonly #refusals: MailRefusals;
  readonly #jobs = new SerialByKey<AgentName>();
  readonly #underWay = new Map<AgentName, number>();

  constructor(deps: Deps, options: { agentCache: AgentCache; epoch: number; grantLeaseMs: number }) {
    this.#deps = deps;
    this.#agentCache = options.agentCache;
    this.#grantLeaseMs = options.grantLeaseMs;
    this.#refusals = new MailRefusals(deps, options.epoch);
  }

  /** Until the signal aborts. Rejects with Fenced when a newer epoch exists. */
  async run(signal: AbortSignal): Promise<void> {
    const isBusy = (agent: AgentName) => (this.#underWay.get(agent) ?? 0) >= maxUnderWay;
    const fenced = new AbortController();
    const ending = AbortSignal.any([signal, fenced.signal]);
    let failure: unknown;
    for await (const mails of this.#deps.board.followMail(ending, isBusy)) {
      for (const mail of mails)
        this.#handle(mail, ending).catch((error: unknown) => {
          failure = error;
          fenced.abort();
        });
    }
    if (failure !== undefined) throw failure;
  }

  /** Messages of one agent are dealt with in their order; all of them may come twice. */
  async #handle(mail: Mail, signal: AbortSignal): Promise<void> {
    const { agent, text } = mail;
    const weight = 1 + Math.floor(text.length / lengthOfShort);
    this.#underWay.set(agent, (this.#underWay.get(agent) ?? 0) + weight);
    await this.#jobs.run(agent, async () => {
      try {
        const reply = await this.#untilContact(() => this.#apply(mail), signal);
        if (reply !== undefined) await this.#untilContact(() => this.#deps.board.answerMail(mail, JSON.stringify(reply)), signal);
      } finally {
        const left = (this.#underWay.get(agent) ?? weight) - weight;
        if (left > 0) this.#underWay.set(agent, left);
        else this.#underWay.delete(agent);
      }
    });
  }

  /** Undefined once the signal has aborted: the message stays. */
  async #untilContact<Result>(job: () => Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
    for (let tries = 1; !signal.aborted; tries++) {
      try {
        return await job();
      } catch (error) {
        if (!isAway(error)) throw error;
        await sleep(backOffMs(tries, { firstMs: 50, maxMs: 1_000 }), signal);
      }
    }
    return undefined;
  }

  async #apply({ agent, text }: Mail): Promise<Reply> {
    const envelope = readEnvelope(text);
    if (!envelope.ok) return this.#refuse(agent, envelope.reason);
    try {
      return await this.#applyMessage({ agent, host: envelope.value.host }, envelope.value.message);
    } catch (error) {
      if (isAway(error) || error instanceof Fenced) throw error;
      // A claim that a person has broken by hand, or a value that Redis refuses.
      return this.#refuse(agent, messageOf(error));
    }
  }

  async #applyMessage(sender: Sender, message: Message): Promise<Reply> {
    const { board } = this.#deps;
    const { agent } = sender;
    const { claim } = message;
    switch (message.say) {
      case "bid": {
        const { word, reason } = message;
        const placed = await board.placeBid({ ...sender, claim, word, reason });
        return placed.outcome === "placed" ? { outcome: "yes", word: placed.word } : noOf(placed);
      }
      case "asks_model":
        return replyOf(await board.allowBidCalls({ claim, agent, digest: message.digest }));
      case "alive":
        return replyOf(await board.renewLease({ claim, agent, attempt: message.attempt, leaseMs: this.#grantLeaseMs }));
      case "started":
        return this.#start(sender, message);
      case "result":
        return this.#finish(sender, message);
      default:
        return unreachable(message);
    }
  }

  /** What the run says of itself, added to the grant as it is stored. */
  async #start(sender: Sender, { claim, attempt, queued_at, run }: Extract<Message, { say: "started" }>): Promise<Reply> {
    const { board } = this.#deps;
    const stored = await this.#grantOf(sender.agent, claim);
    if (stored === undefined) return no(`Claim ${claim} has no grant for ${sender.agent}.`);
    const { grant } = stored;
    if (grant.state === "running" && grant.attempt === attempt && isRun(grant, run)) return { outcome: "yes" };
    const running = runningGrant({ ...grant, attempt, queued_at }, run);
    return replyOf(await board.acceptGrant({ ...sender, claim, grant: running, leaseMs: this.#grantLeaseMs }));
  }

  async #finish(sender: Sender, message: Extract<Message, { say: "result" }>): Promise<Reply> {
    const { board } = this.#deps;
    const { claim: id, attempt, queued_at, ended_at: endedAt } = message;
    // What was read from JSON has no member that is undefined.
    const result = message.result as GrantResult;
    const stored = await this.#grantOf(sender.agent, id);
    if (stored?.grant.state === "running" && stored.grant.attempt === attempt) {
      const { claim, grant } = stored;
      const problem = await this.#resultProblem(claim, grant, result);
      if (problem !== undefined) return this.#refuse(sender.agent, problem);
      return replyOf(await board.finishGrant({ ...sender, claim: id, grant, endedAt, result }));
    }
    // It is not, or no longer, current: it is refused, or known from before.
    const { agent } = sender;
    const run = { started_at: endedAt, context_ids: [] };
    const grant = runningGrant({ phase: "exclusive", ...stored?.grant, agent, attempt, queued_at }, run);
    return replyOf(await board.finishGrant({ ...sender, claim: id, grant, endedAt, result }));
  }

  async #grantOf(agent: AgentName, id: ClaimId): Promise<{ claim: Claim; grant: Grant } | undefined> {
    const snapshot = await this.#deps.board.readClaim(id);
    const grant = snapshot?.grants.find((one) => one.agent === agent);
    return snapshot === undefined || grant === undefined ? undefined : { claim: snapshot.claim, grant };
  }

  async #resultProblem(claim: Claim, grant: RunningGrant, result: GrantResult): Promise<string | undefined> {
    const registered = (await this.#agentCache.list()).find(({ name }) => name === grant.agent);
    const [target] = claim.kind === "rework" ? await this.#deps.board.readHeads([claim.artefact_id]) : [];
    const role = registered?.role ?? result.artefact.produced_by_role;
    return mailedResultProblem(result, { claim, grant, role, thread: target?.head.logical_id });
  }

  async #refuse(agent: AgentName, problem: string): Promise<Reply> {
    const reason = problem.slice(0, maxReasonLength);
    await this.#refusals.record(agent, reason);
    return no(reason);
  }
}

type ReadEnvelope = { ok: true; value: Envelope } | { ok: false; reason: string };

function readEnvelope(text: string): ReadEnvelope {
  try {
    const { success, data, error } = Envelope.safeParse(JSON.parse(text));
    if (success) return { ok: true, value: data };
    const { path, message } = error.issues[0] ?? { path: [], message: "" };
    return { ok: false, reason: `The message cannot be read: ${path.join(".") || "it"}: ${message}.` };
  } catch (error) {
    return { ok: false, reason: `The message cannot be read: ${messageOf(error)}.` };
  }
}

function isRun({ run_id, started_at }: RunningGrant, run: RunStart): boolean {
  return run_id === run.run_id && started_at === run.started_at;
}

/** Only what is the run's own comes from the agent. */
function runningGrant(
  {
    agent,
    phase,
    attempt,
    queued_at,
    retries,
    dialogue,
  }: Pick<Grant, "agent" | "phase" | "attempt" | "queued_at" | "retries" | "dialogue">,
  run: RunStart,
): RunningGrant {
  const { run_id, run_by, model_token, started_at, context_ids, base_commit } = run;
  return {
    agent,
    phase,
    attempt,
    ...withoutUndefined({ retries, dialogue }),
    queued_at,
    state: "running",
    ...withoutUndefined({ run_id, run_by, model_token }),
    started_at,
    context_ids,
    ...withoutUndefined({ base_commit }),
  };
}

function replyOf(answer: { outcome: string } | Refused): Reply {
  return "reason" in answer ? noOf(answer) : { outcome: "yes" };
}

function noOf({ reason }: Refused): Reply {
  return no(reason);
}

function no(reason: string): Reply {
  return { outcome: "no", reason };
}
