// The tool with which the model keeps a plan. It does nothing else: the plan is in the
// conversation, also after the steps around it were left out.
import { z } from "zod";
import { defineTool, output, type Tool } from "../tool.ts";

export const planName = "plan";
export const planHead = "Your plan:";

const marks = { open: "[ ]", now: "[>]", done: "[x]" } as const;
type PlanStep = { text: string; state: keyof typeof marks };

/** `keep` gets each plan. */
export function planTool(keep: (plan: string) => void): Tool {
  return defineTool({
    name: planName,
    description:
      "Writes down your plan for work of several steps, in place of the plan before. Call it again when a step is done, or when the plan changes. " +
      "It is kept where older parts of this conversation are left out, and people see how far you are.",
    input: z.strictObject({
      steps: z
        .array(
          z.strictObject({
            text: z.string().trim().min(1, { error: "must not be empty" }).max(500),
            state: z.enum(["open", "now", "done"]).default("open"),
          }),
        )
        .min(1, { error: "must have at least one step" })
        .max(50),
    }),
    describe: ({ steps }) => {
      const done = steps.filter(({ state }) => state === "done").length;
      const next = steps.find(({ state }) => state === "now");
      return `${done} of ${steps.length} done${next === undefined ? "" : `, now: ${next.text}`}`;
    },
    use: async ({ steps }) => {
      const plan = `${planHead}\n${steps.map(lineOf).join("\n")}`;
      keep(plan);
      return output(plan);
    },
  });
}

function lineOf({ text, state }: PlanStep): string {
  return `${marks[state]} ${text.replace(/\s+/g, " ")}`;
}
