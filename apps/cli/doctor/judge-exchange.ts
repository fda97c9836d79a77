// Judges the exchange, where each agent has a folder for the commits that it publishes.
import type { AgentHoldings } from "../../../lib/git/exchange/port.ts";
import { sizeText } from "../../../lib/model/size-text.ts";
import type { Finding } from "../facts/finding.ts";

const shownNames = 3;
const check = "exchange";

/**
 * `folders`: undefined where the repository cannot be read. `limits`: how many bytes each agent may
 * have there.
 */
export function judgeExchange(
  folders: readonly AgentHoldings[] | undefined,
  limits: ReadonlyMap<string, number>,
  fetch: string,
): Finding[] {
  if (folders === undefined) return [];
  const findings = folders.flatMap((folder) => [
    ...judgeContent(folder),
    ...judgeSize(folder, limits.get(folder.agent), fetch),
  ]);
  if (findings.length > 0) return findings;
  return [
    { subject: "instance", check, level: "ok", found: "holds nothing but published commits" },
  ];
}

function judgeContent({ agent, path, unpublished, problem }: AgentHoldings): Finding[] {
  if (unpublished.length === 0 && problem === undefined) return [];
  return [
    {
      subject: `agent ${agent}`,
      check,
      level: "warning",
      found: problem ?? `its folder has what was not published: ${listOf(unpublished)}`,
      why: "Other agents can read it, and its next grant run it. While a grant of it runs, this may be the grant's own.",
      remedy: `Its cub removes it before the next grant. What stays, or is of an agent that is gone, you remove as root: ${path}`,
    },
  ];
}

/** A fetch makes room, so that a warning at half comes early enough. */
function judgeSize(
  { agent, bytes }: AgentHoldings,
  limit: number | undefined,
  fetch: string,
): Finding[] {
  if (limit === undefined || bytes < limit / 2) return [];
  return [
    {
      subject: `agent ${agent}`,
      check,
      level: bytes < limit ? "warning" : "problem",
      found: `${sizeText(bytes)} of results that are not fetched, of ${sizeText(limit)} that it may have`,
      why: "Above the limit each of its runs is ended.",
      remedy: `\`${fetch}\` fetches them into the repository, and takes them out of the exchange.`,
    },
  ];
}

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, shownNames).join(", ");
  return names.length > shownNames ? `${shown} and ${names.length - shownNames} more` : shown;
}
