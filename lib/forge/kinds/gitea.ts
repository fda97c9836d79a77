import { z } from "zod";
import { matchesPattern } from "../../core/match-pattern.ts";
import type { ForgeKind } from "../kind.ts";

const Branch = z.object({
  enable_status_check: z.boolean().optional(),
  status_check_contexts: z.array(z.string()).nullish(),
});

export const gitea: ForgeKind = {
  api: (url) => `${url}/api/v1`,
  gitUser: "sett",
  says: { APPROVED: "approves", REQUEST_CHANGES: "rejects", COMMENT: "comments" },
  // It cannot narrow the list.
  pullsQuery: () => "state=all&sort=recentupdate",
  openBody: ({ title, body, branch, base, isDraft }) => ({
    ...{ body, base, head: branch },
    title: isDraft ? `WIP: ${title}` : title,
  }),
  async required({ rest, repository }, base) {
    const found = await rest.get(`${repository}/branches/${encodeURIComponent(base)}`);
    const { enable_status_check, status_check_contexts } = Branch.parse(found);
    return enable_status_check === true ? (status_check_contexts ?? []) : [];
  },
  isMeant: matchesPattern,
  // What its own actions report are statuses.
  runs: async () => ({ list: [], isWhole: true }),
};
