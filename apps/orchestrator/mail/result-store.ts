// The results of agents: whether one can be the result of its work, and how it is stored, together
// with what it decides about its claim.
import { z } from "zod";
import {
  type Fresh,
  mailedResultProblem,
  type PieceBefore,
  type ResultOrigin,
  saysEnough,
  wholeResult,
} from "../../../lib/blackboard/mail/mailed-result.ts";
import type { ClaimOfGrant, GrantResult } from "../../../lib/blackboard/port/grants.ts";
import type { BoardAsOf } from "../../../lib/blackboard/port/leading.ts";
import type { MailedResult } from "../../../lib/blackboard/port/mail.ts";
import { endedGrant } from "../../../lib/blackboard/records/ended-grant.ts";
import { readRefusal } from "../../../lib/blackboard/records/read-refusal.ts";
import { verdictOf } from "../../../lib/core/review-verdict.ts";
import { Artefact, type ArtefactHead } from "../../../lib/model/artefact.ts";
import { type ClaimSnapshot, type Grant, hasVerdict } from "../../../lib/model/claim.ts";
import { budgetExceededType } from "../../../lib/model/model-call.ts";
import { Piece } from "../../../lib/model/pieces.ts";
import type { AgentCache } from "../decide/agent-cache.ts";
import type { Decider } from "../decide/decide-and-commit.ts";
import { withEnd, withStart } from "../decide/moved-claim.ts";
import { askedResult } from "./asked-result.ts";
import { givenProblem } from "./given-inputs.ts";
import { laterOf } from "./times-of-record.ts";

type FinishReply = Awaited<ReturnType<BoardAsOf["finishGrant"]>>;
export type FinishOrder = Omit<Parameters<BoardAsOf["finishGrant"]>[0], "commit">;

type Parts = { agentCache: AgentCache; decider?: Pick<Decider, "finish"> };

export class ResultStore {
  readonly #board: BoardAsOf;
  readonly #agentCache: AgentCache;
  readonly #decider: Parts["decider"];

  /** Without a `decider`, what follows is decided with the events of the results. */
  constructor(board: BoardAsOf, { agentCache, decider }: Parts) {
    this.#board = board;
    this.#agentCache = agentCache;
    this.#decider = decider;
  }

  /** A sentence where it cannot be the result of this work. `attempt`: as the message says. */
  async read(
    mailed: MailedResult,
    fresh: Fresh,
    { claim, grant, attempt }: { claim: ClaimOfGrant; grant: Grant; attempt: number },
  ): Promise<GrantResult | string> {
    const origin = await this.#originOf(claim, grant);
    const result = wholeResult(mailed, origin, {
      ...fresh,
      at: laterOf(fresh.at, grant.queued_at),
    });
    const unread = saysEnough(mailed) ? undefined : Artefact.safeParse(result.artefact).error;
    if (unread !== undefined) return `The result is no artefact: ${unread.issues[0]?.message}.`;
    const problem =
      mailedResultProblem(result, origin) ?? (await this.#refusalProblem(result.artefact, attempt));
    const said = { claim: claim.id, agent: grant.agent, ids: result.artefact.source_artefacts };
    if (!origin.hasCub) removeForeignWords(result.artefact);
    const wrong = problem ?? (await this.givenProblem(said));
    return wrong ?? (await this.#asQuestion(result, { claim, grant, attempt }));
  }

  /**
   * An attempt whose calls of tools wait for a person ends with the question about them, whatever
   * its command says. Words about a budget stay.
   */
  async #asQuestion(
    result: GrantResult,
    { claim, grant, attempt }: { claim: ClaimOfGrant; grant: Grant; attempt: number },
  ): Promise<GrantResult> {
    // The gateway takes calls of running work with a token alone.
    const mayHaveAsked =
      grant.state === "running"
        ? grant.model_token !== undefined
        : grant.state !== "queued" || grant.attempt !== attempt;
    if (!mayHaveAsked || result.artefact.type === budgetExceededType) return result;
    const calls = (await this.#board.readAskedCalls(claim.goal_id)).filter(
      (call) =>
        call.claim_id === claim.id && call.agent === grant.agent && call.attempt === attempt,
    );
    return calls.length === 0 ? result : askedResult(result, claim, calls);
  }

  /**
   * Only what the gateway has refused may be said to be for want of budget: people answer it with
   * money, and it is not tried again. A refusal of an earlier attempt has had its answer.
   */
  async #refusalProblem(artefact: Artefact, attempt: number): Promise<string | undefined> {
    if (artefact.type !== budgetExceededType) return undefined;
    if ((await readRefusal(this.#board, artefact))?.attempt === attempt) return undefined;
    return `The ${artefact.structural_type} says that a budget is spent, and the gateway has refused no such call of this work.`;
  }

  /** As the function of this name. */
  givenProblem(said: Parameters<typeof givenProblem>[1]): Promise<string | undefined> {
    return givenProblem({ board: this.#board, agentCache: this.#agentCache }, said);
  }

  /** With what it decides about its claim, where that can be known. */
  store(order: FinishOrder): Promise<FinishReply> {
    const { claim, grant, endedAt, result, start } = order;
    const write: Parameters<Decider["finish"]>[3] = (commit) =>
      this.#board.finishGrant({ ...order, ...(commit && { commit }) });
    // What a failure or a question leads to is decided with their events.
    if (this.#decider === undefined || result.outcome !== "done") return write(undefined);
    const ended = endedGrant(grant, endedAt, result);
    const ahead = (known: ClaimSnapshot) => {
      const running = start === undefined ? known : withStart(known, grant);
      return running && withEnd(running, ended);
    };
    const verdict = hasVerdict(ended) ? verdictOf(result.artefact) : undefined;
    return this.#decider.finish(claim, { agent: grant.agent, ahead, verdict }, this.#board, write);
  }

  /** `hasCub`: the result comes from a cub, and is not the agent's own word alone. */
  async #originOf(
    claim: ClaimOfGrant,
    { agent, phase }: Grant,
  ): Promise<ResultOrigin & { hasCub: boolean }> {
    const registered = (await this.#agentCache.list()).find(({ name }) => name === agent);
    const [target] =
      claim.kind === "rework" ? await this.#board.readHeads([claim.artefact_id]) : [];
    const role = registered?.role ?? (await this.#board.roleOfSender(agent)) ?? agent;
    const hasCub = registered !== undefined && registered.external !== true;
    const before = target === undefined ? undefined : await this.#piecesOf(target.head);
    const lane = registered?.lane;
    return {
      ...{ claim, grant: { agent, phase }, role, lane, target: target?.head, hasCub },
      ...(before && { pieces: before }),
    };
  }

  /** Is there for a list that is reworked: key → the newest version of the piece. */
  async #piecesOf({ metadata }: ArtefactHead): Promise<Map<string, PieceBefore> | undefined> {
    const pieces = z.array(Piece).safeParse(metadata.pieces).data;
    if (pieces === undefined) return undefined;
    const board = this.#board;
    const heads = await board.readHeads(pieces.map(({ id }) => id));
    const threads = await Promise.all(heads.map(({ head }) => board.readThread(head.logical_id)));
    const newest = await board.readHeads(threads.flatMap((thread) => thread.slice(-1)));
    const byThread = new Map(newest.map(({ head }) => [head.logical_id, head]));
    return new Map(
      pieces.flatMap(({ key, id }): [string, PieceBefore][] => {
        const thread = heads.find(({ head }) => head.id === id)?.head.logical_id;
        const last = thread && byThread.get(thread);
        return last ? [[key, last]] : [];
      }),
    );
  }
}

/**
 * Removes what an agent cannot say itself: which files its commit changes, and which person has
 * given a verdict. Such a Review would pass for a person's once its agent has left.
 */
function removeForeignWords({ structural_type, metadata }: Artefact): void {
  delete metadata.changed_paths;
  if (structural_type === "Review") delete metadata.by;
}
