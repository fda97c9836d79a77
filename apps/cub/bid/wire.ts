// The request for a bid in the format of its provider, and the answer in the response. Plain HTTP:
// a client library would cost every cub its memory and its start.
import { z } from "zod";
import { parseJson } from "../../../lib/model/json.ts";
import { keyHeader, providers } from "../../../lib/models/providers.ts";
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

const tool = { name: "bid", description: "Bids on the artefact.", schema: answerSchema };

export function wireRequest(
  { gatewayUrl, model, provider, outputTokens = maxOutputTokens }: ModelAccess,
  token: string,
  { system, user }: BidQuestion,
): WireRequest {
  const { roots, question, ownHeaders } = providers[provider];
  return {
    url: `${gatewayUrl}/${provider}${roots[0]}${question.path}`,
    headers: { "content-type": "application/json", ...ownHeaders, ...keyHeader(provider, token) },
    body: JSON.stringify(
      question.bodyOf({
        model,
        maxTokens: Math.min(maxOutputTokens, outputTokens),
        system,
        user,
        tool,
      }),
    ),
  };
}

/** Throws a sentence for everything that is not an answer. */
export function wireAnswer(provider: ModelAccess["provider"], body: string): BidAnswer {
  const answer = providers[provider].question.answerIn(parseJson(body));
  if (answer === undefined)
    throw new Error("The model's answer is not in the format of its provider.");
  return "text" in answer ? readProse(answer.text) : readAnswer(answer.input);
}

const Problem = z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) });

/** The sentence in an error of either provider; undefined where there is none. */
export function problemIn(body: string): string | undefined {
  const problem = Problem.safeParse(parseJson(body)).data?.error;
  return typeof problem === "object" ? problem.message : problem;
}
