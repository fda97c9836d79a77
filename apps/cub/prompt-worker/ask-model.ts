// Calls the model once by the `ai` SDK: the conversation in, the model's answer out.
import {
  type AssistantModelMessage,
  generateText,
  jsonSchema,
  type ModelMessage,
  type ToolSet,
} from "ai";
import { sleep } from "../../../lib/async/sleep.ts";
import { callErrorOf } from "./call-error.ts";
import { clientOf } from "./clients.ts";
import type { WorkSettings } from "./settings.ts";
import type { Tool } from "./tool.ts";

/** `problem`: the arguments are no JSON, or there is no such tool. */
export type ToolCall = { id: string; name: string; input: unknown; problem?: string };

/**
 * `message`: the answer as it goes back into the conversation; undefined when it is empty. `isCut`:
 * it was longer than it may be.
 */
export type ModelAnswer = {
  message: AssistantModelMessage | undefined;
  text: string;
  calls: ToolCall[];
  isCut: boolean;
};

/** Rejects with a `ModelCallError`, or with the signal's reason. */
export type AskModel = (
  messages: readonly ModelMessage[],
  signal: AbortSignal,
) => Promise<ModelAnswer>;

type ModelSettings = WorkSettings["model"];

/** The gateway repeats calls that fail for a while itself. */
const maxTries = 3;
const firstDelayMs = 1_000;

/**
 * The conversation only grows: the provider is asked to cache what it has read. Other providers
 * ignore it.
 */
const cached = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

export async function createAskModel(
  settings: ModelSettings,
  instructions: string,
  tools: readonly Tool[],
): Promise<AskModel> {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const model = await clientOf(settings);
  const known: ToolSet = Object.fromEntries(
    // The worker checks arguments itself, so that it can say what is wrong with them.
    tools.map(({ name, description, schema }) => [
      name,
      { description, inputSchema: jsonSchema<never>(schema) },
    ]),
  );
  const system = { role: "system", content: instructions, providerOptions: cached } as const;
  const call = async (
    messages: readonly ModelMessage[],
    signal: AbortSignal,
  ): Promise<ModelAnswer> => {
    const result = await generateText({
      model,
      instructions: system,
      messages: withCachePoint(messages),
      tools: known,
      maxOutputTokens: settings.maxOutputTokens,
      maxRetries: 0,
      abortSignal: signal,
    });
    const first = numberOfCalls(messages) + 1;
    const ids = new Map(
      result.toolCalls.map(({ toolCallId }, index) => [toolCallId, `call_${first + index}`]),
    );
    return {
      message: withIds(
        result.responseMessages.find((one) => one.role === "assistant"),
        ids,
      ),
      text: result.text,
      isCut: result.finishReason === "length",
      calls: result.toolCalls.map((one) => ({
        id: ids.get(one.toolCallId) ?? one.toolCallId,
        name: one.toolName,
        input: one.input,
        ...(one.invalid === true && { problem: problemOf(one.toolName, tools) }),
      })),
    };
  };
  return async (messages, signal) => {
    for (let tries = 1; ; ) {
      try {
        return await call(messages, signal);
      } catch (error) {
        signal.throwIfAborted();
        const failure = callErrorOf(error);
        if (failure.isAway) {
          // Work waits for Redis however long it is away; the time of the agent ends it.
          await sleep(failure.retryAfterMs ?? firstDelayMs, signal);
          signal.throwIfAborted();
          continue;
        }
        if (!failure.isRetryable || tries === maxTries) throw failure;
        await sleep(failure.retryAfterMs ?? firstDelayMs * 2 ** (tries - 1), signal);
        signal.throwIfAborted();
        tries += 1;
      }
    }
  };
}

function withCachePoint(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, providerOptions: cached } : message,
  );
}

/**
 * The ids of calls are random: with numbers instead, the same conversation makes the same requests.
 */
function withIds(
  message: AssistantModelMessage | undefined,
  ids: ReadonlyMap<string, string>,
): AssistantModelMessage | undefined {
  if (message === undefined || message.content.length === 0) return undefined;
  if (typeof message.content === "string") return message;
  const content = message.content.map((part) =>
    part.type === "tool-call"
      ? { ...part, toolCallId: ids.get(part.toolCallId) ?? part.toolCallId }
      : part,
  );
  return { ...message, content };
}

function numberOfCalls(messages: readonly ModelMessage[]): number {
  const contents = messages.flatMap(({ role, content }) =>
    role === "assistant" && typeof content !== "string" ? content : [],
  );
  return contents.filter((part) => part.type === "tool-call").length;
}

function problemOf(name: string, tools: readonly Tool[]): string {
  if (tools.some((one) => one.name === name))
    return `The arguments of \`${name}\` are not valid JSON, and nothing was done.`;
  return `There is no tool \`${name}\`. The tools are ${tools.map((one) => `\`${one.name}\``).join(", ")}.`;
}
