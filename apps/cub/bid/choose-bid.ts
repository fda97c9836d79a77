// Decides which word the agent bids (docs/internals/cub.md#deciding-a-bid): the first way that
// applies, and `ignore` after any error.

import { backOffMs } from "../../../lib/async/back-off.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import {
  type BidTarget,
  bidByDefault,
  bidByRules,
  isGuardedAgainst,
} from "../../../lib/core/decide-bid.ts";
import { BidWord } from "../../../lib/model/bid.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { ArtefactId, ClaimId } from "../../../lib/model/ids.ts";
import type { CommandOutcome } from "../../../lib/process/command.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { untilContact } from "../../../lib/service/until-contact.ts";
import { CutOff, NotBegun } from "../container/clean-slate.ts";
import type { AskModel, Deps } from "../program/deps.ts";

/**
 * A bid command that takes too much itself ends the run beside it each time, so that it is not
 * tried for ever. A run's clean-up takes some of these tries, which need half a minute.
 */
const maxCutOffs = 10;

/** `reason`: a sentence, where the model was to decide. */
export type BidChoice = {
  word: BidWord;
  by: "bid_command" | "rules" | "default" | "guard" | "error" | "model";
  reason?: string;
};

type Choosing = Pick<Deps, "board" | "registration" | "runBidCommand" | "askModel"> & {
  log: JsonLog;
  markProgress: () => void;
  noteTrouble: (sentence: string | undefined) => void;
};

/** Undefined only when `stop` came in between. Never rejects. */
export async function chooseBid(
  choosing: Choosing,
  {
    claim,
    artefact,
    target,
  }: { claim: ClaimId; artefact: ArtefactId; target: BidTarget | undefined },
  stop: AbortSignal,
): Promise<BidChoice | undefined> {
  const { board, registration, runBidCommand, askModel, log } = choosing;
  const agent = registration.current;
  if (target === undefined) {
    log.error("The artefact of the claim is not on the blackboard");
    return { word: "ignore", by: "error" };
  }
  if (isGuardedAgainst(target, agent)) return { word: "ignore", by: "guard" };
  if (agent.bids_by_command === true) {
    try {
      if (runBidCommand === undefined)
        throw new Error("SETT_BID_COMMAND is missing: run `sett up`.");
      const whole = await untilContact(() => board.readArtefact(artefact), { signal: stop, log });
      if (whole === undefined)
        throw new Error("The artefact of the claim is not on the blackboard.");
      const outcome = await onceBegun(
        () => runBidCommand({ stdin: JSON.stringify(whole), signal: stop }),
        choosing,
        stop,
      );
      if (outcome === undefined || stop.aborted) return undefined;
      return { word: wordOf(outcome, log), by: "bid_command" };
    } catch (error) {
      if (stop.aborted) return undefined;
      log.error("Failed to decide the bid", { error: messageOf(error) });
      return { word: "ignore", by: "error" };
    }
  }
  // The orchestrator knows which files are touched, and would not ask where such a rule matched.
  const word = bidByRules({ ...target, paths: [] }, agent);
  if (word !== undefined) return { word, by: "rules" };
  if (agent.asks_model === true && askModel === undefined) {
    log.error("Its model decides its bids, and the environment names none");
    return { word: "ignore", by: "error" };
  }
  if (askModel !== undefined)
    return askForBid({ ...choosing, askModel }, { claim, artefact }, stop);
  return { word: bidByDefault(target), by: "default" };
}

/**
 * Tries again for as long as the machine, and not the command, is why it does not run: no answer is
 * no `ignore`. Then at the deadline the orchestrator bids by the agent's rules, or waits, as for an
 * agent that does not run. Undefined when `stop` came.
 */
async function onceBegun(
  run: () => Promise<CommandOutcome>,
  { log, markProgress, noteTrouble }: Choosing,
  stop: AbortSignal,
): Promise<CommandOutcome | undefined> {
  for (let tries = 1; !stop.aborted; tries++) {
    const outcome = await run().catch((error: unknown) => {
      const isLast = error instanceof CutOff && tries >= maxCutOffs;
      if (error instanceof NotBegun && !isLast) return error.message;
      throw error;
    });
    const trouble = troubleOf(outcome);
    noteTrouble(trouble === undefined ? undefined : `The bid command does not run: ${trouble}`);
    if (trouble === undefined && typeof outcome !== "string") return outcome;
    log.warn("The bid command does not run, trying again", { error: trouble, tries });
    await sleep(backOffMs(tries, { firstMs: 250, maxMs: 5_000 }), stop);
    markProgress();
  }
  return undefined;
}

function troubleOf(outcome: CommandOutcome | string): string | undefined {
  if (typeof outcome === "string") return outcome;
  return outcome.kind === "not_started" && outcome.reason === "exhausted"
    ? outcome.message
    : undefined;
}

async function askForBid(
  { registration, askModel, log, markProgress }: Choosing & { askModel: AskModel },
  { claim, artefact }: { claim: ClaimId; artefact: ArtefactId },
  stop: AbortSignal,
): Promise<BidChoice | undefined> {
  const { name, role } = registration.current;
  try {
    const bid = await askModel({ claim, artefact, agent: { name, role }, stop, log, markProgress });
    return bid && { word: bid.word, reason: bid.reason, by: bid.isAsked ? "model" : "error" };
  } catch (error) {
    if (stop.aborted) return undefined;
    log.error("Failed to decide the bid", { error: messageOf(error) });
    return { word: "ignore", by: "error", reason: messageOf(error) };
  }
}

/** Throws, with a sentence, for anything but one word and exit code 0. */
function wordOf(outcome: CommandOutcome, log: JsonLog): BidWord {
  if (outcome.kind === "not_started") throw new Error(outcome.message);
  const text = new TextDecoder();
  if (outcome.stderr.byteLength > 0)
    log.info("The bid command wrote to stderr", { stderr: text.decode(outcome.stderr) });
  if (outcome.kind === "timed_out")
    throw new Error(`The bid command ran out of time after ${Math.round(outcome.durationMs)} ms.`);
  if (outcome.kind === "output_too_large")
    throw new Error(`The bid command wrote more to ${outcome.stream} than is allowed.`);
  if (outcome.kind !== "exited") throw new Error("The bid command was stopped.");
  if (outcome.exitCode !== 0)
    throw new Error(
      `The bid command ended with ${outcome.signal ?? `exit code ${outcome.exitCode}`}.`,
    );
  const printed = text.decode(outcome.stdout).trim();
  const word = BidWord.safeParse(printed);
  if (word.success) return word.data;
  const quoted = printed === "" ? "nothing" : JSON.stringify(printed.slice(0, 100));
  throw new Error(
    `The bid command printed ${quoted}: it must print one of ${BidWord.options.join(", ")}.`,
  );
}
