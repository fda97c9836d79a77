import { matchesGlob } from "node:path";
import { z } from "zod";
import { matchesPattern } from "../../core/match-pattern.ts";
import type { ForgeKind } from "../kind.ts";

const Branch = z.object({
  enable_status_check: z.boolean().optional(),
  status_check_contexts: z.array(z.string()).nullish(),
});

const draftWord = "WIP: ";
/** By these, in any case, it knows a draft. */
const ofDraft = /^(?:WIP:|\[WIP\])/i;

export const gitea: ForgeKind = {
  api: (url) => `${url}/api/v1`,
  gitUser: "sett",
  says: { APPROVED: "approves", REQUEST_CHANGES: "rejects", COMMENT: "comments" },
  // It cannot narrow the list.
  pullsQuery: () => "state=all&sort=recentupdate",
  openBody: ({ title, body, branch, base, isDraft }) => ({
    ...{ body, base, head: branch },
    title: isDraft ? `${draftWord}${title}` : title,
  }),
  merging: ({ head, way, title, message }) => ({
    method: "POST",
    body: { Do: way, head_commit_id: head, MergeTitleField: title, MergeMessageField: message },
  }),
  // Its `ref` is that of the pull request where the branch was deleted.
  branchOf: ({ ref, label }) => label || ref,
  titleOf: (title, before) => (ofDraft.test(before) ? `${draftWord}${title}` : title),
  async required({ rest, repository }, base) {
    const found = await rest.get(`${repository}/branches/${encodeURIComponent(base)}`);
    const { enable_status_check, status_check_contexts } = Branch.parse(found);
    if (enable_status_check !== true) return [];
    const contexts = status_check_contexts ?? [];
    // Without names it wants all that report to be green.
    return contexts.length === 0 ? ["*"] : contexts;
  },
  isMeant,
  // What its own actions report are statuses.
  runs: async () => ({ list: [], isWhole: true }),
};

/** In its patterns `*` and `?` are any characters, slashes too. */
function isMeant(required: string, name: string): boolean {
  if (!/[?[{\\]/.test(required)) return matchesPattern(required, name);
  const [pattern = "", text = ""] = [required, name].map((one) => one.replaceAll("/", "\u0001"));
  return matchesGlob(text, pattern);
}
