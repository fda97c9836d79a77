// Judges the network of an agent's container: by default it has none.
import type { ContainerSurvey } from "../../../lib/runtime/docker/survey.ts";
import type { Finding } from "../facts/finding.ts";

/** `up`: the command that starts the container again. */
type Context = { subject: string; container: string; up: string };

export function networkFinding({ network }: ContainerSurvey, { subject, container, up }: Context): Finding {
  const base = { subject, check: "network" };
  if (network === "none") return { ...base, level: "ok", found: "none: it reaches what sockets lead to" };
  if (/^sett-[^.]+\.open$/.test(network)) {
    return {
      ...base,
      level: "warning",
      found: `direct, by ${network}`,
      why: "Its command also reaches this machine, your local network and metadata services of a cloud.",
      remedy: "Use `network: open` or `egress` in sett.yml, which go through a proxy that refuses these.",
    };
  }
  return {
    ...base,
    level: "problem",
    found: `another one than Sett gives it: ${network}`,
    why: "Its command may reach other agents, Redis, and this machine.",
    remedy: `\`docker rm --force ${container}\`, then \`${up}\`.`,
  };
}
