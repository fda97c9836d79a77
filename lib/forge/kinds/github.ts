import { z } from "zod";
import type { At, ForgeKind } from "../kind.ts";
import type { Check } from "../port.ts";

const Branch = z.object({
  protection: z
    .object({
      required_status_checks: z.object({ contexts: z.array(z.string()).optional() }).nullish(),
    })
    .nullish(),
});

const Rules = z.array(
  z.object({
    type: z.string(),
    parameters: z
      .object({ required_status_checks: z.array(z.object({ context: z.string() })).optional() })
      .nullish(),
  }),
);

const Run = z.object({
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullish(),
  output: z
    .object({
      title: z.string().nullish(),
      summary: z.string().nullish(),
      text: z.string().nullish(),
    })
    .nullish(),
});

const good = ["success", "neutral", "skipped"];

export const github: ForgeKind = {
  api: (url) =>
    new URL(url).hostname === "github.com" ? "https://api.github.com" : `${url}/api/v3`,
  gitUser: "x-access-token",
  says: { APPROVED: "approves", CHANGES_REQUESTED: "rejects", COMMENTED: "comments" },
  pullsQuery: (owner, branch) =>
    `state=all&sort=created&direction=desc&head=${encodeURIComponent(`${owner}:${branch}`)}`,
  openBody: ({ title, body, branch, base, isDraft }) => ({
    ...{ title, body, base, head: branch, draft: isDraft },
    maintainer_can_modify: false,
  }),
  merging: ({ head, way, title, message }) => ({
    method: "PUT",
    body: { sha: head, merge_method: way, commit_title: title, commit_message: message },
  }),
  branchOf: ({ ref }) => ref,
  titleOf: (title) => title,
  async required(at, base) {
    const { rest, repository } = at;
    const name = encodeURIComponent(base);
    const { protection } = Branch.parse(await rest.get(`${repository}/branches/${name}`));
    const ofBranch = protection?.required_status_checks?.contexts ?? [];
    return [...ofBranch, ...(await ofRules(at, name))];
  },
  isMeant: (required, name) => required === name,
  async runs({ rest, repository }, commit) {
    const path = `${repository}/commits/${commit}/check-runs`;
    const { list, isWhole } = await rest.list(
      path,
      (page) => z.object({ check_runs: z.array(z.unknown()) }).parse(page).check_runs,
    );
    return { list: z.array(Run).parse(list).map(checkOf), isWhole };
  },
};

/** Rulesets require checks beside the protection of the branch. */
async function ofRules({ rest, repository }: At, name: string): Promise<string[]> {
  const found = await rest.find(`${repository}/rules/branches/${name}`);
  return Rules.parse(found ?? []).flatMap(({ type, parameters }) =>
    type === "required_status_checks"
      ? (parameters?.required_status_checks ?? []).map(({ context }) => context)
      : [],
  );
}

function checkOf({ name, status, conclusion, output }: z.infer<typeof Run>): Check {
  const { title, summary, text } = output ?? {};
  const said = [title, summary, text].filter((part) => typeof part === "string" && part !== "");
  const isGood = good.includes(conclusion ?? "");
  return {
    name,
    state: status !== "completed" ? "pending" : isGood ? "success" : "failure",
    text: said.join("\n"),
  };
}
