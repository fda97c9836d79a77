// Judges whether the parts that must know the public addresses of this machine know those that it
// has now.
import type { Finding } from "../facts/finding.ts";
import { serviceOfPart } from "../services/services.ts";
import type { PartFacts } from "./facts.ts";

/** `now`: the public networks of this machine. `up`: the command that makes the part anew. */
type Context = { subject: string; now: readonly string[]; up: string };

/** Nothing where the part need not know them. */
export function judgeMachineNetworks(
  { part }: PartFacts,
  { subject, now, up }: Context,
): Finding[] {
  const { labels, env } = part;
  const needed = serviceOfPart(labels)?.machineNetworks;
  if (needed?.isNeeded(env) !== true) return [];
  const base = { subject, check: "addresses" };
  const unknown = now.filter((network) => !known(env[needed.variable]).includes(network));
  if (unknown.length === 0)
    return [{ ...base, level: "ok", found: "it knows those of this machine" }];
  return [
    {
      ...base,
      level: "warning",
      found: `this machine has ${unknown.join(", ")} since \`sett up\``,
      why: needed.why,
      remedy: `\`${up}\` tells it.`,
    },
  ];
}

/** As `sett up` has written them. */
function known(text = "[]"): unknown[] {
  const networks: unknown = JSON.parse(text);
  return Array.isArray(networks) ? networks : [];
}
