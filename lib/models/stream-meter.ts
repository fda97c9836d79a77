// Reads the usage of a streamed answer on its way to the client.
import { isObject, memberAt, parseJson, textAt } from "../model/json.ts";
import type { CostlyApi } from "../model/model-call.ts";
import { both, type Came, cameAsText, nothingCame, rawSize, sizeOf } from "./answer-size.ts";
import { apis } from "./apis.ts";
import type { MeasuredUsage } from "./cost.ts";
import { type Bytes, dataOf, EventSplitter, joined } from "./server-sent-events.ts";
import type { ApiTraits, ReadEvent, StreamState } from "./traits.ts";

export class StreamMeter {
  readonly #traits: ApiTraits;
  readonly #readEvent: ReadEvent;
  readonly #hidesUsage: boolean;
  readonly #events = new EventSplitter();
  /** The bytes of words in events that have none in the places that are known. */
  #elsewhere = 0;
  readonly #seen: StreamState = {
    ...{ usage: undefined, isUsageWhole: false, isComplete: false, mayEnd: false },
    ...{ answeredModel: "", responseId: "", problem: undefined, came: nothingCame },
  };

  /** `hidesUsage`: the client did not ask for the chunk with the usage, and does not get it. */
  constructor(api: CostlyApi, { hidesUsage }: { hidesUsage: boolean }) {
    this.#traits = apis[api];
    this.#readEvent = this.#traits.readStream();
    this.#hidesUsage = hidesUsage;
  }

  /** Returns what the client gets by now: the chunk, unless one of its events is left out. */
  push(chunk: Bytes): Bytes {
    const shown: Bytes[] = [];
    for (const { bytes, data } of this.#events.push(chunk)) {
      const isUsageAlone = this.#read(data);
      if (!isUsageAlone) shown.push(bytes);
    }
    if (this.#events.isOverfull) {
      const rest = this.#events.takeRest();
      this.#came(rawSize(rest.length));
      shown.push(rest);
    }
    return this.#hidesUsage ? joined(shown) : chunk;
  }

  /**
   * Returns what the client has not got yet at the end of the stream. Some servers leave out the
   * blank line behind the last event.
   */
  finish(): Bytes {
    const rest = this.#events.takeRest();
    const data = dataOf(rest);
    if (data === "") this.#came(rawSize(rest.length));
    const isUsageAlone = data !== "" && this.#read(data);
    return this.#hidesUsage && !isUsageAlone ? rest : new Uint8Array();
  }

  /** Whether the client has got whole events only. */
  get isBetweenEvents(): boolean {
    return this.#hidesUsage || !this.#events.hasRest;
  }

  /**
   * The usage of the whole answer; undefined where the provider has not reported it. `isWhole`: the
   * stream has ended as it should.
   */
  usageAt({ isWhole }: { isWhole: boolean }): MeasuredUsage | undefined {
    const { usage, isUsageWhole, isComplete } = this.#seen;
    return isUsageWhole && (isComplete || isWhole) ? usage : undefined;
  }

  /** The usage that the stream has reported so far. */
  get begun(): MeasuredUsage | undefined {
    return this.#seen.usage;
  }

  /**
   * How much of the answer has come. In the end, where no event has words in the places that are
   * known, all that the events have counts.
   */
  get came(): Came {
    const { came, isComplete, mayEnd } = this.#seen;
    return came.bytes === 0 && (isComplete || mayEnd) ? rawSize(this.#elsewhere) : came;
  }

  /** Whether the stream may end here. */
  get isWhole(): boolean {
    const { isComplete, mayEnd, problem } = this.#seen;
    return isComplete || mayEnd || problem !== undefined;
  }

  /** The provider has sent the event that is the last one. */
  get isComplete(): boolean {
    return this.#seen.isComplete;
  }

  get answeredModel(): string {
    return this.#seen.answeredModel;
  }

  /** The name by which a later request can continue the conversation; empty where there is none. */
  get responseId(): string {
    return this.#seen.responseId;
  }

  /** The provider's words for what went wrong in the midst of the stream. */
  get problem(): string | undefined {
    return this.#seen.problem;
  }

  /** Whether the event has nothing but the usage that the gateway has asked for. */
  #read(data: string): boolean {
    if (data.trim() === done) {
      this.#seen.isComplete = true;
      return false;
    }
    const event = parseJson(data);
    if (!isObject(event)) {
      this.#came(cameAsText(data));
      return false;
    }
    if (this.#traits.isLast(event)) this.#seen.isComplete = true;
    const written = sizeOf(this.#traits.writtenInEvent(event));
    this.#came(written);
    if (written.bytes === 0) this.#elsewhere += sizeOf([event]).bytes;
    const error = memberAt(event, "error");
    if (isObject(error))
      this.#seen.problem =
        textAt(error, "message") || textAt(error, "type") || "The provider reports an error.";
    return this.#readEvent(event, this.#seen);
  }

  #came(more: Came): void {
    this.#seen.came = both(this.#seen.came, more);
  }
}

/** The data of the event that ends a stream of the APIs of OpenAI. */
const done = "[DONE]";

/** Whether an event with this data ends its stream. */
export function isLastEvent({ isLast }: Pick<ApiTraits, "isLast">, data: string): boolean {
  const event = parseJson(data);
  return data.trim() === done || (isObject(event) && isLast(event));
}
