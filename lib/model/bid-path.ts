// A path in the `paths` of a bid: which files an agent bids for. How such paths are read:
// lib/core/match-path.ts.
import { z } from "zod";
import { brokenPathRule } from "./workspace-path.ts";

/** What other tools read as a pattern, and Sett does not: it would match nothing, and be silent. */
const unknownSyntax: readonly [pattern: RegExp, sentence: string][] = [
  [/[!@+*?]\(/, "has no `!(…)`, `+(…)` and their like: write one path for each"],
  [/\{/, "has no `{…}`: write one path for each; for a name with `{` write `?` in its place"],
  [/\[/, "has no `[…]`: write one path for each; for a name with `[` write `?` in its place"],
];

export const BidPath = z
  .string({ error: 'must be text, such as "infra/**"' })
  .superRefine((path, context) => {
    const [, unknown] = unknownSyntax.find(([pattern]) => pattern.test(path)) ?? [];
    const message = brokenPathRule(path, { negated: "list what the agent bids for" }) ?? unknown;
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

export const BidPaths = z
  .array(BidPath, {
    error: ({ input }) =>
      typeof input === "string" ? 'must be a list: `["infra/**", "*.tf"]`' : undefined,
  })
  .min(1, { error: "must name a path, or be left out" })
  .max(200);
