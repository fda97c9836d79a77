// A file of `sett eval`: goals, and the checks that their results must pass.
import { z } from "zod";
import { Duration } from "./config-quantities.ts";

/** Part of the names of folders and of the commands that checks are found by. */
const EvalGoalName = z
  .string()
  .max(40, { error: "must have at most 40 characters" })
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, {
    error: "must be lower-case letters, digits and inner hyphens",
  });

const Line = z
  .string()
  .min(1, { error: "must not be empty" })
  .max(10_000, { error: "must have at most 10000 characters" });

const EvalCheck = z
  .union([Line, z.strictObject({ run: Line, timeout: Duration.prefault("10m") })], {
    error: "must be a line for a shell, or a map with `run` and `timeout`",
  })
  .transform((check) =>
    typeof check === "string"
      ? { run: check, timeoutMs: 600_000 }
      : { run: check.run, timeoutMs: check.timeout },
  );

const EvalGoalFile = z
  .strictObject({
    goal: Line,
    commit: z.string().min(1).default("HEAD"),
    timeout: Duration.prefault("30m"),
    checks: z.array(EvalCheck).max(50).default([]),
    restore: z.array(Line).max(100).default([]),
    image: z.string().min(1).optional(),
    answers: z.array(Line).max(50).default([]),
    approve: z.boolean().default(false),
  })
  .transform(({ timeout, ...goal }) => ({ ...goal, timeoutMs: timeout }));

/**
 * `image`: of the containers in which checks run. Of a goal: `commit`, where work on it begins;
 * `restore`, the files that checks see as that commit has them; `answers`, for the questions of
 * agents, in their order; `approve`, whether what waits for a person's approval gets it.
 */
export const EvalFile = z.strictObject({
  image: z.string().min(1).default("sett/agent-base:latest"),
  goals: z
    .record(EvalGoalName, EvalGoalFile)
    .refine((goals) => Object.keys(goals).length > 0, { error: "must name at least one goal" }),
});
export type EvalFile = z.infer<typeof EvalFile>;
export type EvalGoal = EvalFile["goals"][string];
