// The request for a bid in the two wire formats, and where the answer is in the response. Plain
// HTTP: a client library would cost every cub its memory and its start.
import { z } from "zod";
import { unreachable } from "../../../lib/model/unreachable.ts";
import type { ModelAccess } from "../tool/model-access.ts";
import {
  answerSchema,
  type BidAnswer,
  type BidQuestion,
  readAnswer,
  readProse,
} from "./question.ts";

export type WireRequest = { url: string; headers: Record<string, string>; body: string };

/**
 * Enough for a word and a sentence, and for a model that thinks first. The gateway reserves its
 * price.
 */
const maxOutputTokens = 4_096;

const tool = { name: "bid", description: "Bids on the artefact." };
const json = { "content-type": "application/json" };

export function wireRequest(
  { gatewayUrl, model, provider }: ModelAccess,
  token: string,
  question: BidQuestion,
): WireRequest {
  const { system, user } = question;
  switch (provider) {
    case "anthropic":
      return {
        url: `${gatewayUrl}/anthropic/v1/messages`,
        headers: { ...json, "x-api-key": token, "anthropic-version": "2023-06-01" },
        body: JSON.stringify({
          model,
          max_tokens: maxOutputTokens,
          system,
          messages: [{ role: "user", content: user }],
          tools: [{ ...tool, input_schema: answerSchema }],
          tool_choice: { type: "tool", name: tool.name },
        }),
      };
    case "openai":
      return {
        url: `${gatewayUrl}/openai/v1/chat/completions`,
        headers: { ...json, authorization: `Bearer ${token}` },
        body: JSON.stringify({
          model,
          max_completion_tokens: maxOutputTokens,
          messages: [
            { role: "system", content: system },
            { role: "user", content: user },
          ],
          tools: [{ type: "function", function: { ...tool, parameters: answerSchema } }],
          tool_choice: { type: "function", function: { name: tool.name } },
        }),
      };
    default:
      return unreachable(provider);
  }
}

const Messages = z.object({
  content: z.array(
    z.looseObject({ type: z.string(), input: z.unknown().optional(), text: z.string().optional() }),
  ),
});

const Completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z
            .array(z.object({ function: z.object({ arguments: z.unknown() }) }))
            .nullish(),
        }),
      }),
    )
    .min(1),
});

/** Throws a sentence for everything that is not an answer. */
export function wireAnswer(provider: ModelAccess["provider"], body: string): BidAnswer {
  switch (provider) {
    case "anthropic": {
      const { content } = parsed(Messages, body);
      const call = content.find(({ type }) => type === "tool_use");
      return call === undefined
        ? readProse(content.map(({ text = "" }) => text).join(""))
        : readAnswer(call.input);
    }
    case "openai": {
      const message = parsed(Completion, body).choices[0]?.message;
      const call = message?.tool_calls?.[0];
      if (call === undefined) return readProse(message?.content ?? "");
      // Some servers send the arguments as an object, and not as the text of one.
      const { arguments: input } = call.function;
      return typeof input === "string" ? readProse(input) : readAnswer(input);
    }
    default:
      return unreachable(provider);
  }
}

const Problem = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

/** The sentence in an error of either provider; undefined where there is none. */
export function problemIn(body: string): string | undefined {
  const problem = Problem.safeParse(tryJson(body)).data?.error;
  return typeof problem === "object" ? problem.message : problem;
}

function parsed<Shape extends z.ZodType>(shape: Shape, body: string): z.output<Shape> {
  const read = shape.safeParse(tryJson(body));
  if (read.success) return read.data;
  throw new Error("The model's answer is not in the format of its provider.");
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
