// Reads the usage of a streamed answer on its way to the client.
import {
  both,
  type Came,
  cameAsText,
  cameInAnswer,
  cameInEvent,
  nothingCame,
  rawSize,
} from "./answer-size.ts";
import type { MeasuredUsage } from "./cost.ts";
import { isObject, memberAt, parseJson, textAt } from "./json.ts";
import type { CostlyApi } from "./request.ts";
import { type Bytes, EventSplitter, joined } from "./server-sent-events.ts";
import { usageOf } from "./usage.ts";

export class StreamMeter {
  readonly #api: CostlyApi;
  readonly #hidesUsage: boolean;
  readonly #events = new EventSplitter();
  /** Of Anthropic: what the stream's beginning says, which its end repeats only in part. */
  #begun: unknown;
  #usage: MeasuredUsage | undefined;
  /** Of Anthropic: the usage is that of the whole answer, not of its beginning. */
  #isUsageWhole = false;
  #came = nothingCame;
  #isComplete = false;
  /** Of Chat Completions: an answer has its reason to end. */
  #hasFinished = false;
  #answeredModel = "";
  #responseId = "";
  #problem: string | undefined;

  /** `hidesUsage`: the client did not ask for the chunk with the usage, and does not get it. */
  constructor(api: CostlyApi, { hidesUsage }: { hidesUsage: boolean }) {
    this.#api = api;
    this.#hidesUsage = hidesUsage;
  }

  /**
   * What the client gets of the chunk: all of it at once, unless one of its events has to be left
   * out.
   */
  push(chunk: Bytes): Bytes {
    const events = this.#events.push(chunk);
    const shown: Bytes[] = [];
    for (const { bytes, data } of events) {
      const isHidden = this.#read(data);
      if (!isHidden) shown.push(bytes);
    }
    if (this.#events.isOverfull) {
      const rest = this.#events.takeRest();
      this.#came = both(this.#came, rawSize(rest.length));
      shown.push(rest);
    }
    return this.#hidesUsage ? joined(shown) : chunk;
  }

  /** What the client has not got yet at the end of the stream. */
  finish(): Bytes {
    const rest = this.#events.takeRest();
    return this.#hidesUsage ? rest : new Uint8Array();
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
    if (this.#api === "messages" && !this.#isUsageWhole) return undefined;
    return this.#isComplete || (isWhole && this.#api === "chat") ? this.#usage : undefined;
  }

  /** What the stream has said of its usage so far. */
  get begun(): MeasuredUsage | undefined {
    return this.#usage;
  }

  /** How much of the answer has come. */
  get came(): Came {
    return this.#came;
  }

  /**
   * Whether the stream may end here: some servers that are compatible with OpenAI's send no last
   * event.
   */
  get isWhole(): boolean {
    return (
      this.#isComplete || this.#problem !== undefined || (this.#api === "chat" && this.#hasFinished)
    );
  }

  /** The provider has sent the event that is the last one. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get answeredModel(): string {
    return this.#answeredModel;
  }

  /** Of the Responses API: the name by which a later request can continue the conversation. */
  get responseId(): string {
    return this.#responseId;
  }

  /** What the provider says went wrong in the midst of the stream. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether the client must not get the event. */
  #read(data: string): boolean {
    if (data.trim() === "[DONE]") {
      this.#isComplete = true;
      return false;
    }
    const event = parseJson(data);
    if (!isObject(event)) {
      this.#came = both(this.#came, cameAsText(data));
      return false;
    }
    this.#came = both(this.#came, cameInEvent(this.#api, event));
    const error = memberAt(event, "error");
    if (isObject(error))
      this.#problem =
        textAt(error, "message") || textAt(error, "type") || "The provider reports an error.";
    switch (this.#api) {
      case "messages":
        this.#readMessages(event);
        return false;
      case "chat":
        return this.#readChat(event);
      case "responses":
        this.#readResponses(event);
        return false;
    }
  }

  #readMessages(event: unknown): void {
    const type = textAt(event, "type");
    if (type === "message_start") {
      this.#begun = memberAt(event, "message", "usage");
      this.#usage = usageOf("messages", this.#begun);
      this.#answeredModel = textAt(event, "message", "model");
    } else if (type === "message_delta" && isObject(memberAt(event, "usage"))) {
      this.#usage = usageOf("messages", {
        ...(isObject(this.#begun) ? this.#begun : {}),
        ...numbersOf(memberAt(event, "usage")),
      });
      this.#isComplete = true;
      this.#isUsageWhole = true;
    } else if (type === "message_stop") this.#isComplete = true;
  }

  #readChat(event: unknown): boolean {
    this.#answeredModel ||= textAt(event, "model");
    const choices = memberAt(event, "choices");
    if (Array.isArray(choices) && choices.some((choice) => textAt(choice, "finish_reason") !== ""))
      this.#hasFinished = true;
    const usage = usageOf("chat", memberAt(event, "usage"));
    if (usage === undefined) return false;
    this.#usage = usage;
    return this.#hidesUsage && Array.isArray(choices) && choices.length === 0;
  }

  #readResponses(event: unknown): void {
    const response = memberAt(event, "response");
    this.#answeredModel ||= textAt(response, "model");
    this.#responseId ||= textAt(response, "id");
    const isLast = /^response\.(?:completed|incomplete|failed)$/.test(textAt(event, "type"));
    if (!isLast) return;
    this.#usage = usageOf("responses", memberAt(response, "usage"));
    this.#isComplete = true;
    // Some servers send no parts.
    const whole = isObject(response) ? cameInAnswer("responses", response) : nothingCame;
    if (whole.bytes > this.#came.bytes) this.#came = whole;
    const reason = textAt(response, "error", "message");
    if (reason !== "") this.#problem = reason;
  }
}

/** Some servers repeat at the end what they have said at the beginning, as null. */
function numbersOf(usage: unknown): Record<string, unknown> {
  return isObject(usage)
    ? Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null))
    : {};
}
