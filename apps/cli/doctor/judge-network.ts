// Judges the network of an agent's container: by default it has none.
import type { ContainerSurvey } from "../../../lib/runtime/docker/survey.ts";
import type { Finding } from "../facts/finding.ts";

/** `up`: the command that starts the container again. */
type Context = { subject: string; container: string; up: string };

export function networkFinding(
  { networks }: ContainerSurvey,
  { subject, container, up }: Context,
): Finding {
  const base = { subject, check: "network" };
  const strange = networks.filter(
    (name) => name !== "none" && !direct.test(name) && !closed.test(name),
  );
  if (strange.length > 0) {
    return {
      ...base,
      level: "problem",
      found: `others than Sett gives it: ${strange.join(", ")}`,
      why: "Its command may reach other agents, Redis, and this machine.",
      remedy: `\`docker rm --force ${container}\`, then \`${up}\`.`,
    };
  }
  const [open] = networks.filter((name) => direct.test(name));
  if (open === undefined) {
    const found = networks.some((name) => closed.test(name))
      ? "its own: it leads to the services that it reaches by TLS"
      : "none: it reaches what sockets lead to";
    return { ...base, level: "ok", found };
  }
  return {
    ...base,
    level: "warning",
    found: `direct, by ${open}`,
    why: "Its command also reaches this machine, your local network and metadata services of a cloud.",
    remedy:
      "Use `network: open` or `egress` in sett.yml, which go through a proxy that refuses these.",
  };
}

const direct = /^sett-[^.]+\.open$/;
const closed = /^sett-[^.]+\.closed\.[^.]+$/;
