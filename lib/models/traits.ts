// An API of language models, and a provider of APIs: everything in which one differs from another.
// lib/models/apis.ts and lib/models/providers.ts have the lists.
import type { Provider } from "../model/config-models.ts";
import type { JsonObject } from "../model/json.ts";
import type { Came } from "./answer-size.ts";
import type { MeasuredUsage } from "./cost.ts";
import type { Turn } from "./transcript-parts.ts";

/** One API, which costs tokens. Pure. */
export type ApiTraits = {
  provider: Provider;
  /** The path behind a model's `base_url`, and behind each root of the provider at the gateway. */
  path: string;
  /** The path at which the provider counts the tokens of a request, and takes no money. */
  countPath?: string;
  /** Members of a request that limit the tokens of one answer. */
  limits: readonly string[];
  /** Members of a request that say how many answers it asks for. */
  answers: readonly string[];
  /** Members of a request with the text that the model reads. */
  conversation: readonly string[];
  /** The provider keeps answers, and a later request may continue one by its `id`. */
  keepsAnswers?: boolean;
  /** Says why no reckoning bounds the cost of a request, where other APIs have no such request. */
  problemOf?(request: JsonObject): string | undefined;
  /**
   * Members, as JSON texts by name, that a streaming request needs so that its stream reports the
   * usage. Undefined where the stream reports it as it is.
   */
  wishForUsage?(request: JsonObject): Record<string, string> | undefined;
  /** Whether the model, by the provider's name of it, may think without sending its thoughts. */
  thinks(request: JsonObject, model: string): boolean;
  /** Reads the member `usage` of an answer. Undefined where it reports none. */
  usageOf(usage: unknown): MeasuredUsage | undefined;
  /** The parts of an answer that is no stream in which the model's text is. */
  writtenInAnswer(answer: JsonObject): unknown[];
  /** The same of one event of a stream, without what repeats the answer as a whole. */
  writtenInEvent(event: JsonObject): unknown[];
  /** Whether an event ends its stream. `[DONE]`, which is no object, ends every stream. */
  isLast(event: JsonObject): boolean;
  /** Makes the reader of one stream. */
  readStream(): ReadEvent;
  /** The turns of a request's conversation, from its parsed body. */
  turnsOf(request: unknown): Turn[];
  /** The turn in an answer's text, streamed or not. Undefined where it has none: an error. */
  answerOf(answer: string): Turn | undefined;
};

/** Notes what an event says. True: it has nothing but the usage that the gateway has asked for. */
export type ReadEvent = (event: JsonObject, seen: StreamState) => boolean;

/** A stream as far as it has come. */
export type StreamState = {
  usage: MeasuredUsage | undefined;
  /** `usage` is that of the whole answer, and not of its beginning. */
  isUsageWhole: boolean;
  /** The last event has come. */
  isComplete: boolean;
  /** Nothing is missing but the last event, which some servers do not send. */
  mayEnd: boolean;
  answeredModel: string;
  /** The name by which a later request can continue the conversation. */
  responseId: string;
  /** The provider's words for what went wrong in the midst of the stream. */
  problem: string | undefined;
  /** How much of the answer has come. */
  came: Came;
};

/** One provider, whose APIs share all of this. Pure. */
export type ProviderTraits = {
  /** Its name for people. */
  label: string;
  /** The address of its own API, with the version. */
  address: string;
  /** The model that `sett add` writes where a file has none. The list of prices has it. */
  firstModel: string;
  /** The paths of its APIs below `/PROVIDER` of the gateway. The first one is in messages. */
  roots: readonly [string, ...string[]];
  variables: ProviderVariables;
  /** The header with the key, and what comes before the key in it. */
  key: { header: string; prefix: string };
  /** Headers that a request of Sett's own needs beside the key; clients send theirs. */
  ownHeaders: Readonly<Record<string, string>>;
  /** Names of headers that pass to the provider, and of an answer to the client. */
  passes: { toProvider: readonly string[]; toClient: RegExp };
  /** An error as its clients read it. `status`: of HTTP. `message`: a sentence. */
  errorOf(status: number, message: string): object;
  /** The last event of a stream that cannot go on. `error`: JSON. */
  errorEvent(error: string): string;
  /** A model in its list of models. `since`: ISO 8601. */
  modelEntry(model: string, since: string): { id: string };
  /** Its list of models, with this one alone. */
  modelList(entry: { id: string }): object;
  question: QuestionFormat;
  /** The package by which the built-in worker speaks with it. */
  client: "@ai-sdk/anthropic" | "@ai-sdk/openai-compatible";
};

/** Variables from which clients take address and key, and which the cub sets for a command. */
export type ProviderVariables = {
  /** All of its variables begin with it. */
  prefix: string;
  address: string;
  /** The path of the address below `/PROVIDER` of the gateway. */
  root: string;
  key: string;
  /** Other credentials, which clients would send beside the key. */
  beside: readonly string[];
};

/** One question without a client library: it makes the model call a tool. */
export type QuestionFormat = {
  /** Behind the first root. */
  path: string;
  /** The body of the request, to be written as JSON. */
  bodyOf(question: Question): object;
  /** `input`: the arguments of the tool. `text`: words. Undefined for another format. */
  answerIn(answer: unknown): { input: unknown } | { text: string } | undefined;
};

/** `schema`: a JSON Schema of the tool's arguments. */
export type Question = {
  model: string;
  maxTokens: number;
  system: string;
  user: string;
  tool: { name: string; description: string; schema: object };
};
