// Merges a pull request at its forge, by the forge's own rules, once all who review its commit have
// approved it.
import type { Pull } from "../../../lib/forge/port.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import type { AgentName } from "../../../lib/model/ids.ts";
import { noteStep } from "./note-step.ts";
import { isOfVersion, pullsOf } from "./pull-agent.ts";
import type { PullParts } from "./pull-parts.ts";
import { pullTitle } from "./pull-text.ts";

/** `over`: nothing is left to do. `words`: for the verdict. */
type Merge = { kind: "waits"; why: string } | { kind: "over"; words: string };

/** The other agents that review the claim's artefact, and have not approved it yet. */
export function unfinishedReviewers({ claim, grants }: ClaimSnapshot, own: AgentName): AgentName[] {
  const hasApproved = (name: AgentName) =>
    grants.some(
      (grant) =>
        grant.agent === name &&
        grant.phase === "review" &&
        grant.state === "done" &&
        grant.rejects !== true,
    );
  return claim.bids
    .filter(({ agent, word }) => word === "review" && agent !== own && !hasApproved(agent))
    .map(({ agent }) => agent);
}

/**
 * Call it for a pull request that the forge approves. The words are those of its merge, and none
 * where a person merges. Throws `ForgeError`, such as where the forge's rules are not met.
 */
export async function mergePull(
  parts: PullParts,
  { artefact, reviewers }: { artefact: Artefact; reviewers: readonly AgentName[] },
): Promise<Merge> {
  const { merge: way, base } = parts.agent.pull_request;
  if (way === undefined) return { kind: "over", words: "" };
  const found = (await pullsOf(parts, artefact.goal_id)).find((one) => isOfVersion(one, artefact));
  if (found === undefined) return { kind: "waits", why: "The pull request is not listed yet" };
  const pull = await parts.forge.pull(found.number);
  if (pull.state === "merged") return await merged(parts, artefact, pull);
  if (pull.state !== "open" || pull.head !== artefact.metadata.commit || pull.base !== base)
    return { kind: "waits", why: "The pull request has changed meanwhile" };
  if (reviewers.length > 0)
    return { kind: "waits", why: `is merged once ${reviewers.join(", ")} approved it` };
  await noteStep(parts, artefact, { step: "merge", state: "begins", what: String(pull.number) });
  const title = `${pullTitle(await parts.report(artefact))} (#${pull.number})`;
  const message = `Sett-Goal: ${artefact.goal_id}\nSett-Artefact: ${artefact.id}`;
  await parts.forge.merge(pull.number, { head: pull.head, way, title, message });
  return await merged(parts, artefact, await parts.forge.pull(pull.number));
}

async function merged(parts: PullParts, artefact: Artefact, pull: Pull): Promise<Merge> {
  // A forge may show its own merge a moment later.
  if (pull.state !== "merged") return { kind: "waits", why: "The forge is about to merge it" };
  const { number, mergedAs, base } = pull;
  await noteStep(parts, artefact, { step: "merge", state: "done", what: String(number) });
  const as = mergedAs === undefined ? "" : ` as ${mergedAs}`;
  return { kind: "over", words: ` Merged into ${base} at the forge${as}.` };
}
