// A tool of the model: a name, a description, the shape of its arguments, and what it does.
import { z } from "zod";
import { unreachable } from "../../../lib/model/unreachable.ts";
import type { WorkAnswer } from "./work-answer.ts";

/**
 * `output`: text for the model. `malformed`: the arguments were wrong, and the text says how.
 * `ended`: the work has ended with this answer.
 */
export type ToolEnd =
  | { kind: "output" | "malformed"; text: string }
  | { kind: "ended"; answer: WorkAnswer };

export type Tool = {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  schema: Record<string, unknown>;
  /** It ends the work, or says why not. */
  isEnding?: boolean;
  /** Says to people what the call is for; undefined for arguments that are wrong. */
  describe?(input: unknown): string | undefined;
  /** Rejects only when the signal is aborted, with its reason, or for a mistake of this program. */
  use(input: unknown, signal: AbortSignal): Promise<ToolEnd>;
};

export function defineTool<Shape extends z.ZodType>(definition: {
  name: string;
  description: string;
  input: Shape;
  describe?: (input: z.output<Shape>) => string;
  use: (input: z.output<Shape>, signal: AbortSignal) => Promise<ToolEnd>;
}): Tool {
  const { name, description, input, describe } = definition;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return {
    name,
    description,
    schema,
    ...(describe && {
      describe: (raw) => {
        const read = input.safeParse(raw);
        return read.success ? describe(read.data) : undefined;
      },
    }),
    use: async (raw, signal) => {
      const read = input.safeParse(raw);
      return read.success ? definition.use(read.data, signal) : malformed(name, read.error.issues);
    },
  };
}

export function output(text: string): ToolEnd {
  return { kind: "output", text };
}

/** A line for the log: what the tool was used for. */
export function describeCall(name: string, input: unknown, tool?: Tool): string {
  if (typeof input !== "object" || input === null) return name;
  const [first] = Object.values(input).filter((value) => typeof value === "string");
  const text = (tool?.describe?.(input) ?? first ?? "").replace(/\s+/g, " ").trim();
  return `${name} ${text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text}`.trimEnd();
}

type Issue = { code?: string | undefined; path: PropertyKey[]; message: string };

function malformed(name: string, issues: readonly Issue[]): ToolEnd {
  const problems = issues
    .slice(0, 5)
    .map(({ path, message }) =>
      path.length === 0 ? message : `\`${path.map(String).join(".")}\`: ${message}`,
    );
  return {
    kind: "malformed",
    text: `The arguments of \`${name}\` are wrong, and nothing was done. ${problems.join("; ")}.`,
  };
}

/** The kinds of an end, as a word for the log. */
export function endWord(end: ToolEnd): string {
  switch (end.kind) {
    case "output":
      return "done";
    case "malformed":
      return "malformed arguments";
    case "ended":
      return "ends the work";
    default:
      return unreachable(end);
  }
}
