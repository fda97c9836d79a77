// The prompts of an agent in sett.yml: a text, or the file that has it.
import { z } from "zod";
import { bytesOf } from "./exec-limits.ts";

export const maxInlineBytes = 100 * 1024;
/** With all else it must fit into what a program can be started with. */
export const maxPromptBytes = 1024 * 1024;

/** Undefined where the text can be a prompt. */
export function promptProblem(text: string): string | undefined {
  if (text.trim() === "") return "must not be empty";
  if (text.includes("\0")) return "must not contain a NUL character";
  return bytesOf(text) > maxPromptBytes ? "must not be longer than 1 MiB" : undefined;
}

const Inline = z
  .string()
  .refine((text) => !text.includes("\0"), { error: "must not contain a NUL character" })
  .refine((text) => bytesOf(text) <= maxInlineBytes, {
    error:
      "must not be longer than 100 KiB: a longer one comes from a file, `{ file: ./prompt.md }`",
  })
  .refine((text) => text.trim() !== "", { error: "must not be empty" });

export const PromptFile = z.strictObject({
  file: z
    .string()
    .min(1, { error: "must not be empty" })
    .describe("The file with the text, of at most 1 MiB."),
});

const Prompt = z.union([Inline, PromptFile], { error: "must be text, or a map with `file`" });

export const promptKeys = ["claim", "execution"] as const;
export type PromptKey = (typeof promptKeys)[number];

export const Prompts = z
  .strictObject({
    claim: Prompt.optional().describe(
      "What work the agent takes. Where no rule of `bids` matches, its model decides by this text, or by that of `{ file: … }`.",
    ),
    execution: Prompt.optional().describe(
      "How to do the work. Without `command` Sett's own worker does it; a command finds the text in `SETT_PROMPT_EXECUTION`.",
    ),
  })
  .prefault({})
  .describe("Texts for an agent that asks a model.");
