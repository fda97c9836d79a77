// Asks the agent's model how to bid: a token for this bid, then up to three tries through the
// gateway.
import { backOffMs } from "../../../lib/async/back-off.ts";
import { Bounded } from "../../../lib/async/bounded.ts";
import { sleep } from "../../../lib/async/sleep.ts";
import type { AgentBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { bidAsking } from "../../../lib/model/bid.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import { sizeText } from "../../../lib/model/size-text.ts";
import { newToken } from "../../../lib/models/token.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { untilContact } from "../../../lib/service/until-contact.ts";
import type { AskModel, BidOrder, ModelBid } from "../program/deps.ts";
import type { ModelAccess } from "../tool/model-access.ts";
import { type BidQuestion, bidQuestion, middleCut } from "./question.ts";
import { readChain } from "./read-chain.ts";
import { problemIn, type WireRequest, wireAnswer, wireRequest } from "./wire.ts";

/** `heldPauseMs`: before the next question to a model whose budget of a day or month is used up. */
type Limits = { tries: number; tryMs: number; firstPauseMs: number; heldPauseMs: number };

type Asking = {
  board: Pick<AgentBlackboard, "allowBidCalls" | "readHeads" | "readArtefact">;
  model: ModelAccess;
  /** `prompts.claim`. */
  prompt: string;
  /** Tests set them. */
  limits?: Limits;
};

/**
 * Questions wait for a minute and more, and hold little. The gateway has a limit of its own for
 * each model.
 */
const maxAtOnce = 16;

const progressEveryMs = 5_000;

/** A body that is longer is no answer. */
const maxAnswerBytes = 4 * 1024 * 1024;

export function modelAsker({ board, model, prompt, limits: own }: Asking): AskModel {
  const limits = own ?? { ...bidAsking, tryMs: model.timeoutMs ?? bidAsking.tryMs };
  const questions = new Bounded(() => maxAtOnce);
  /** The artefacts that it reads may be large, and are not kept while the model thinks. */
  const questionOf = async ({ artefact, agent }: BidOrder): Promise<BidQuestion> => {
    const target = await board.readArtefact(artefact);
    if (target === undefined)
      throw new Error("The artefact of the claim is not on the blackboard.");
    return bidQuestion({ role: agent.role, prompt }, target, await readChain(board, target));
  };
  const ask = async (order: BidOrder): Promise<ModelBid | "held" | undefined> => {
    const { claim, agent, stop, log } = order;
    const token = newToken({ kind: "bid", claim, agent: agent.name, attempt: 0 });
    const contact = { signal: stop, log };
    const question = await untilContact(() => questionOf(order), contact);
    const allowed = await untilContact(
      () => board.allowBidCalls({ claim, agent: agent.name, digest: token.digest }),
      contact,
    );
    if (allowed.outcome === "refused") return noAnswer(allowed.reason);
    const request = wireRequest(model, token.text, question);
    return askInTries({ request, model, limits, stop, log });
  };
  return (order) => {
    const { promise, resolve, reject } = Promise.withResolvers<ModelBid | undefined>();
    // Waiting for a turn, or for the model, is no standstill: every wait in it has an end.
    const progress = setInterval(order.markProgress, progressEveryMs);
    const job = async () => {
      if (order.stop.aborted) return resolve(undefined);
      const bid = await ask(order).catch((error: unknown) => {
        if (order.stop.aborted) return undefined;
        throw error;
      });
      if (bid !== "held") return resolve(bid);
      // Meanwhile the questions about other goals have their turn.
      void sleep(limits.heldPauseMs, order.stop).then(begin);
    };
    const begin = () => questions.start(job).catch(reject);
    void begin();
    return promise.finally(() => clearInterval(progress));
  };
}

type Tries = {
  request: WireRequest;
  model: ModelAccess;
  limits: Limits;
  stop: AbortSignal;
  log: JsonLog;
};

async function askInTries({
  request,
  model,
  limits,
  stop,
  log,
}: Tries): Promise<ModelBid | "held" | undefined> {
  const started = performance.now();
  const leftMs = () => Math.max(0, limits.tryMs - (performance.now() - started));
  for (let tries = 1; ; tries++) {
    const answer = await askOnce(request, model, { tryMs: leftMs(), wholeMs: limits.tryMs }, stop);
    if (stop.aborted) return undefined;
    if (answer.outcome === "answered") return answer.bid;
    if (answer.outcome === "held") {
      log.warn("A budget holds the bid", { model: model.name, error: answer.problem });
      return "held";
    }
    const isLast = answer.isFinal || tries >= limits.tries || leftMs() === 0;
    const about = { model: model.name, error: answer.problem, tries };
    if (isLast) {
      log.error("The model gave no bid", about);
      return noAnswer(answer.problem);
    }
    log.warn("The model gave no bid, trying again", about);
    const pauseMs = backOffMs(tries, { firstMs: limits.firstPauseMs, maxMs: limits.tryMs });
    await sleep(pauseMs / 2 + (Math.random() * pauseMs) / 2, stop);
    if (stop.aborted) return undefined;
  }
}

type Try =
  | { outcome: "answered"; bid: ModelBid }
  | { outcome: "held"; problem: string }
  | { outcome: "failed"; problem: string; isFinal: boolean };

async function askOnce(
  request: WireRequest,
  { provider }: ModelAccess,
  { tryMs, wholeMs }: { tryMs: number; wholeMs: number },
  stop: AbortSignal,
): Promise<Try> {
  const timeout = AbortSignal.timeout(Math.ceil(tryMs));
  const { url, headers, body } = request;
  try {
    const signal = AbortSignal.any([stop, timeout]);
    // `timeout`: Bun would end a model that thinks for five minutes.
    const options = { method: "POST", headers, body, signal, redirect: "error", timeout: false };
    const response = await fetch(url, options as RequestInit);
    const text = await readBounded(response);
    if (!response.ok) {
      const words = problemIn(text);
      // The words of the gateway itself are a sentence of their own.
      const isProviders = response.status >= 500 && !response.headers.has("x-sett-error");
      const problem =
        words === undefined
          ? `The gateway answered with status ${response.status}.`
          : `${isProviders ? `${response.status}: ` : ""}${words}`;
      if (isHeld(response)) return { outcome: "held", problem: middleCut(problem, 300) };
      return { outcome: "failed", problem: middleCut(problem, 300), isFinal: isFinal(response) };
    }
    return { outcome: "answered", bid: { ...wireAnswer(provider, text), isAsked: true } };
  } catch (error) {
    const problem = timeout.aborted
      ? `The model did not answer within ${wholeMs / 1_000} s.`
      : messageOf(error);
    return { outcome: "failed", problem, isFinal: false };
  }
}

/** Throws a sentence for a body that is too long. */
async function readBounded({ body }: Response): Promise<string> {
  if (body === null) return "";
  const text = new TextDecoder();
  let whole = "";
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (bytes > maxAnswerBytes)
      throw new Error(`The answer has more than ${sizeText(maxAnswerBytes)}.`);
    whole += text.decode(chunk, { stream: true });
  }
  return whole + text.decode();
}

/** The gateway says so; and a request that the provider calls wrong is wrong again. */
function isFinal({ status, headers }: Response): boolean {
  if (headers.get("x-should-retry") === "false") return true;
  return status >= 400 && status < 500 && status !== 408 && status !== 409 && status !== 429;
}

/** The budget of a day or a month is used up: new work waits for it, and bids do. */
function isHeld({ status, headers }: Response): boolean {
  const scope = /"scope":"(\w+)"/.exec(headers.get("x-sett-budget") ?? "")?.[1];
  return status === 402 && (scope === "day" || scope === "month");
}

function noAnswer(problem: string): ModelBid {
  return { word: "ignore", reason: `Its model gave no bid: ${problem}`, isAsked: false };
}
