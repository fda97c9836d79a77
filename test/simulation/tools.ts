// The commands of the agents: functions that take virtual time, and fail, hang and are broken as
// often as the seed says.
import type { Deps } from "../../apps/cub/program/deps.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { BidWord } from "../../lib/model/bid.ts";
import type { ToolInput } from "../../lib/model/tool-contract.ts";
import type { CommandOutcome } from "../../lib/process/command.ts";
import type { Random } from "../chaos/random.ts";

/** The output of a tool; a text is what it says before exit code 1. */
export type Answer = (input: ToolInput) => object | string;

export type Temper = {
  /** The longest that a usual run takes. */
  maxMs: number;
  failShare: number;
  hangShare: number;
};

export class PlayedTool {
  readonly #answer: Answer;
  readonly #word: (target: Artefact) => BidWord;
  readonly #temper: Temper;
  readonly #random: Random;
  /** While it is broken every run fails. */
  isBroken = false;

  constructor(
    random: Random,
    temper: Temper,
    { answer, word }: { answer: Answer; word: (target: Artefact) => BidWord },
  ) {
    this.#random = random;
    this.#temper = temper;
    this.#answer = answer;
    this.#word = word;
  }

  readonly run: Deps["runTool"] = async ({ stdin, timeoutMs, signal }) => {
    const random = this.#random;
    const { maxMs, failShare, hangShare } = this.#temper;
    const usualMs = random.chance(0.1)
      ? random.between(maxMs, 10 * maxMs)
      : random.between(1, maxMs);
    const durationMs = random.chance(hangShare) ? Number.POSITIVE_INFINITY : usualMs;
    const fails = random.chance(failShare);
    await sleep(Math.min(durationMs, timeoutMs), signal);
    if (signal.aborted)
      return { ...exited(""), kind: "aborted", exitCode: null, signal: "SIGTERM" };
    if (durationMs > timeoutMs)
      return { ...exited(""), kind: "timed_out", exitCode: null, signal: "SIGKILL" };
    if (this.isBroken) return exited("", 127, "It is broken.");
    if (fails) return exited("", 1, "It failed by chance.");
    const answer = this.#answer(JSON.parse(stdin));
    return typeof answer === "string" ? exited("", 1, answer) : exited(JSON.stringify(answer));
  };

  readonly bid: Deps["runBidCommand"] = async ({ stdin, signal }) => {
    await sleep(this.#random.between(1, this.#temper.maxMs), signal);
    if (this.isBroken) return exited("no word");
    return exited(this.#word(JSON.parse(stdin)));
  };
}

function exited(stdout: string, exitCode = 0, stderr = ""): CommandOutcome & { kind: "exited" } {
  const bytes = (text: string) => new TextEncoder().encode(text);
  return {
    kind: "exited",
    exitCode,
    signal: null,
    stdout: bytes(stdout),
    stderr: bytes(stderr),
    durationMs: 1,
  };
}
