// A tool as data: its name, what it is for, its arguments, the right that it needs, and what it
// does.

import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import type { z } from "zod";
import type { Marks } from "../../client/actions/marks.ts";
import type { AnsweringRights } from "../../client/actions/post-answer.ts";
import type { Right } from "../../model/api-access.ts";
import type { Actor } from "../../model/event.ts";
import type { GoalId } from "../../model/ids.ts";
import type { OpenInstance } from "../deps.ts";

/**
 * A call has these. `actor`: the person, with the assistant's mark. `report`: tells a client that
 * asked for it how far the call is.
 */
export type Call = Pick<
  OpenInstance,
  "asker" | "person" | "postGoal" | "lacking" | "postArtefact" | "changes"
> & {
  actor: Actor;
  may: AnsweringRights;
  /** The metadata of what is posted has it. */
  marks: Marks;
  signal: AbortSignal;
  /** A tool that writes says for the record which goal it is about, as soon as it knows. */
  about(goal: GoalId): void;
  /** A tool that goes on after it has written needs it. */
  written(): Promise<void>;
  report(done: number, message: string): void;
};

export type Tool<Shape extends z.ZodRawShape> = {
  name: string;
  title: string;
  description: string;
  right: Right;
  annotations: ToolAnnotations;
  args: Shape;
  run(args: z.infer<z.ZodObject<Shape>>, call: Call): Promise<Record<string, unknown>>;
};

export function defineTool<const Shape extends z.ZodRawShape>(tool: Tool<Shape>): Tool<Shape> {
  return tool;
}

export const reads: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
export const writes: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  openWorldHint: false,
};
export const ends: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  openWorldHint: false,
};
