// Judges whether the egress proxy knows the public addresses that this machine has now: agents
// reach others of its addresses by no pattern.
import type { Finding } from "../facts/finding.ts";
import type { PartFacts } from "./facts.ts";

/** `now`: the public networks of this machine. `up`: the command that makes the proxy anew. */
type Context = { subject: string; now: readonly string[]; up: string };

/** Nothing where the part is no proxy, or each host that it allows is named in full. */
export function judgeMachineNetworks(
  { part }: PartFacts,
  { subject, now, up }: Context,
): Finding[] {
  const { labels, env } = part;
  if (labels.component !== "egress" || !/"\*/.test(env.SETT_EGRESS ?? "")) return [];
  const base = { subject, check: "addresses" };
  const unknown = now.filter((network) => !known(env.SETT_EGRESS_MACHINE).includes(network));
  if (unknown.length === 0)
    return [{ ...base, level: "ok", found: "it knows those of this machine" }];
  return [
    {
      ...base,
      level: "warning",
      found: `this machine has ${unknown.join(", ")} since \`sett up\``,
      why: "The proxy takes them for other hosts, so agents with `network: open` or a `*` in `egress` reach this machine there.",
      remedy: `\`${up}\` tells it.`,
    },
  ];
}

/** As `sett up` has written them. */
function known(text = "[]"): unknown[] {
  const networks: unknown = JSON.parse(text);
  return Array.isArray(networks) ? networks : [];
}
