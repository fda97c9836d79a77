// The `forges` of sett.yml, and what the built-in agent of a pull request has
// (docs/guides/forge.md).
import { z } from "zod";
import { SecretName } from "./config-secrets.ts";
import { ReviewingForge } from "./trigger.ts";

const name = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

export const ForgeName = z
  .string()
  .regex(name, { error: "must be lower-case letters, digits and inner hyphens, such as `hub`" });
export type ForgeName = z.infer<typeof ForgeName>;

/** Neither part is `.` or `..`, which an address would take for a folder. */
const repositoryName = /^(?!\.{1,2}\/)[\w.-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100}$/;

/** What git takes for the name of a branch, as far as Sett writes any. */
const branch = /^(?!.*(?:\.\.|\/\/|@\{|\.lock$|\.$|\/$))[\w{][\w.{}/-]{0,199}$/;

const Branch = z.string().regex(branch, { error: "must be the name of a branch, such as `main`" });

export const ForgeFile = z.strictObject({
  kind: ReviewingForge.describe("Which forge it is."),
  url: z
    .url({ protocol: /^https?$/, error: "must be an address such as `https://git.example.org`" })
    .refine((text) => !/[@?#]/.test(text), {
      error: "must have no user, no `?` and no `#`: the token is one of `secrets`",
    })
    .optional()
    .describe("Where it is. Default: the public address of its kind, where it has one."),
  repository: z
    .string()
    .regex(repositoryName, { error: "must be an owner and a name, such as `acme/door`" })
    .describe("The repository there: `OWNER/NAME`."),
  token: SecretName.describe(
    "The name in `secrets` of the token with which Sett pushes branches and opens pull requests.",
  ),
});
export type ForgeFile = z.infer<typeof ForgeFile>;

export const ForgesFile = z
  .record(ForgeName, ForgeFile)
  .refine((forges) => Object.keys(forges).length <= 20, {
    error: "must not name more than 20 forges",
  })
  .default({})
  .describe("The forges where the results of goals become pull requests, by name.");
export type ForgesFile = z.infer<typeof ForgesFile>;

export const PullRequestFile = z
  .strictObject({
    base: Branch.describe("The branch into which the pull request asks to be merged."),
    branch: Branch.refine((text) => text.includes("{goal}"), {
      error: "must have `{goal}`, so that each goal has a branch of its own",
    })
      .default("sett/{goal}")
      .describe("The branch that Sett pushes. `{goal}` is the id of the goal."),
    draft: z.boolean().default(false).describe("The pull request is opened as a draft."),
    checks: z
      .enum(["required", "all", "none"])
      .default("required")
      .describe(
        "Which checks of the forge count: those that it requires for `base`, all that report, or none.",
      ),
    approvals: z
      .int()
      .min(0)
      .max(10)
      .default(1)
      .describe("How many of the `people` have to approve at the forge."),
    merge: z
      .enum(["merge", "squash", "rebase"])
      .optional()
      .describe(
        "Sett merges the pull request there in this way, once all reviewers have approved. Default: a person does.",
      ),
  })
  .refine(({ checks, approvals }) => checks !== "none" || approvals > 0, {
    error: "needs `approvals` or `checks`: with neither, nothing at the forge says yes",
  })
  .refine(({ draft, merge }) => !draft || merge === undefined, {
    path: ["merge"],
    error: "cannot be combined with `draft: true`: no forge merges a draft",
  });
export type PullRequestFile = z.infer<typeof PullRequestFile>;
