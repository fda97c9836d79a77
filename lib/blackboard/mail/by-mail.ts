// The blackboard as an agent has it: it reads, and says by mail what it has to say. The
// orchestrator, which alone writes the record, answers.
import { RecentMap } from "../../async/recent-map.ts";
import type { RunningGrant } from "../../model/claim.ts";
import { messageOf, SettError } from "../../model/errors.ts";
import type { AgentName, ClaimId } from "../../model/ids.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { AgentBlackboard, AgentMailbox } from "../port/holders.ts";
import {
  type MailedResult,
  type Message,
  Reply,
  type RunStart,
  unreadMessage,
} from "../port/mail.ts";
import type { Refused } from "../port/refused.ts";
import { begunParts, begunText } from "./begun-message.ts";
import { mailedResult } from "./mailed-result.ts";
import { OpenMessages, type OutgoingMessage } from "./open-messages.ts";

/** A result whose start is not among these tells of its run once more. */
const maxKnownRuns = 1_000;

/**
 * `host`: where this program runs, which the agent's events name. `timeoutMs`: how long one call
 * waits for its answer.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the members of one port, each of them short.
export function byMail(
  board: AgentMailbox,
  { agent, host, timeoutMs = 3_000 }: { agent: AgentName; host?: string; timeoutMs?: number },
): AgentBlackboard {
  const open = new OpenMessages((message) => board.sendMail(agent, message), timeoutMs);
  const closing = new AbortController();
  const { promise: canHear, resolve: hears } = Promise.withResolvers<void>();
  const listen = async () => {
    const onFresh = () => {
      open.sendAgain();
      hears();
    };
    try {
      for await (const answers of board.followMailAnswers(agent, closing.signal, onFresh))
        open.receive(answers);
    } catch (error) {
      open.fail(error instanceof SettError ? error : new SettError("internal", messageOf(error)));
      hears();
    }
  };
  void listen();
  // Before a renewal that was under way is sent once more: it is refused where Redis has lost the
  // start of its run.
  const unsubscribe = board.onReconnect(() => open.sendAgain());
  /**
   * Starts that were sent, and are sent again after a reconnect until their results are answered:
   * before these.
   */
  const knownRuns = new RecentMap<string, true>(maxKnownRuns);
  const textOf = (message: Message) => JSON.stringify(withoutUndefined({ host, message }));
  const replyTo = async (text: string, withinMs = timeoutMs) =>
    Reply.parse(JSON.parse(await open.ask(text, withinMs)));
  const ask = async (message: Message, withinMs?: number): Promise<Reply> => {
    await canHear;
    return replyTo(textOf(message), withinMs);
  };
  const said = async <Outcome extends string>(
    message: Message,
    outcome: Outcome,
    withinMs?: number,
  ) => outcomeOf(await ask(message, withinMs), outcome);
  // Where nothing waits for it, a start that counts is not answered.
  const startOf = (claim: ClaimId, grant: RunningGrant) => {
    const { context_ids: _, ...run } = runOf(grant);
    return begunText(
      begunParts(claim, { host, isQuiet: grant.model_token === undefined, run }),
      grant,
    );
  };
  const renewal = (claim: ClaimId, attempt: number): Message => ({ say: "alive", claim, attempt });
  /**
   * A renewal has the same words for each run of an attempt. The answer to one of the run before,
   * which Redis has lost, is not about the run that begins: it asks anew, behind its start.
   */
  const forgetRunBefore = (claim: ClaimId, attempt: number) =>
    open.forget(textOf(renewal(claim, attempt)));
  return {
    ...board,
    placeBid: async ({ claim, word, reason }) => {
      const reply = await ask({ say: "bid", claim, word, ...withoutUndefined({ reason }) });
      return reply.outcome === "yes"
        ? { outcome: "placed", word: reply.word ?? word }
        : { ...reply, outcome: "refused" };
    },
    allowBidCalls: ({ claim, digest }) => said({ say: "asks_model", claim, digest }, "allowed"),
    beginWork: async ({ claim, run, mayTake, maxBytes, readOn }) => {
      await canHear;
      const id = crypto.randomUUID();
      const parts = begunParts(claim, { host, isQuiet: true, run });
      const begun = await board.beginWork({
        claim,
        agent,
        run: run.run_id,
        message: { id, mayTake, ...parts },
        maxBytes,
        ...withoutUndefined({ readOn }),
      });
      if (begun.outcome !== "taken") return begun;
      const text = begunText(parts, { ...begun.grant, context_ids: begun.contextIds });
      open.note({ id, text });
      forgetRunBefore(claim, begun.grant.attempt);
      knownRuns.set(text, true);
      return begun;
    },
    // The run begins as soon as the grant is taken. Where the orchestrator refuses its start, it
    // refuses to renew its lease as well.
    acceptGrant: async ({ claim, grant }) => {
      const { attempt, queued_at, run_id: run = "", model_token } = grant;
      await canHear;
      const take = (message: OutgoingMessage) =>
        board.takeGrant({ claim, agent, attempt, queued_at, run, message });
      const text = startOf(claim, grant);
      const taken = await open.say(text, take);
      if (taken.outcome === "refused") return taken;
      forgetRunBefore(claim, attempt);
      if (model_token === undefined) knownRuns.set(text, true);
      // Calls of its model count only once its start is on record.
      return model_token === undefined
        ? { outcome: "accepted" }
        : outcomeOf(await replyTo(text), "accepted");
    },
    // Where an answer is lost, the lease has time for another.
    renewLease: ({ claim, attempt, leaseMs }) =>
      said(renewal(claim, attempt), "renewed", Math.min(timeoutMs, leaseMs / 3)),
    notePreparing: ({ claim, attempt, progress }) => {
      const how = progress === "over" ? { over: true as const } : progress;
      return said({ say: "prepares", claim, attempt, ...how }, "noted");
    },
    finishGrant: async ({ claim, grant, endedAt, result }) => {
      const { attempt, queued_at } = grant;
      const start = startOf(claim, grant);
      const run = knownRuns.get(start) === true ? {} : { run: runOf(grant) };
      const mailed = mailedResult(result, { claim, agent });
      const about = { claim, attempt, queued_at, ended_at: endedAt, ...run };
      const send = (sent: MailedResult) =>
        said({ say: "result", ...about, result: sent }, "finished");
      let finished = await send(mailed);
      const isUnread = finished.outcome === "refused" && finished.reason.startsWith(unreadMessage);
      // During an upgrade agents are replaced first: the orchestrator before knows no such digests.
      const { stdin, output, remarks, ...older } = mailed;
      if (isUnread && (stdin ?? output ?? remarks) !== undefined) finished = await send(older);
      open.forget(start);
      // Said again after Redis has lost it, it tells of its run, which is lost as well then.
      knownRuns.delete(start);
      return finished;
    },
    [Symbol.asyncDispose]: async () => {
      unsubscribe();
      closing.abort();
      await board[Symbol.asyncDispose]();
    },
  };
}

function outcomeOf<Outcome extends string>(
  reply: Reply,
  outcome: Outcome,
): { outcome: Outcome } | Refused {
  return reply.outcome === "yes" ? { outcome } : { outcome: "refused", reason: reply.reason };
}

function runOf({
  run_id,
  run_by,
  model_token,
  started_at,
  context_ids,
  base_commit,
}: RunningGrant): RunStart {
  return {
    started_at,
    context_ids,
    ...withoutUndefined({ run_id, run_by, model_token, base_commit }),
  };
}
