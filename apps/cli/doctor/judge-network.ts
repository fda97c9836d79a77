// Judges the network of an agent's container: by default it has none.
import { Cage } from "../../../lib/model/cage.ts";
import { parseJson } from "../../../lib/model/json.ts";
import type { ContainerSurvey } from "../../../lib/runtime/docker/survey.ts";
import type { Finding } from "../facts/finding.ts";

/** `up`: the command that starts the container again. */
type Context = { subject: string; container: string; up: string };
type Env = Readonly<Record<string, string | undefined>>;

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
    remedy: useProxy,
  };
}

const useProxy =
  "Use `network: open` or `egress` in sett.yml, which go through a proxy that refuses these.";
const direct = /^sett-[^.]+\.open$/;
const closed = /^sett-[^.]+\.closed\.[^.]+$/;

/** Judges that of an agent in a cluster, whose cub is given what it has to try. */
export function policyFinding({ SETT_CAGE: cage }: Env, subject: string): Finding[] {
  const read = Cage.safeParse(parseJson(cage ?? ""));
  const base = { subject, check: "network" };
  switch (read.data?.network) {
    case undefined:
    case "none":
      return [];
    case "policies":
      return [{ ...base, level: "ok", found: "policies, which it tries before it takes work" }];
    case "closed":
      return [
        {
          ...{ ...base, level: "warning", found: "policies, in force or not" },
          why: "Where no network plug-in enforces them, its command reaches all that other pods reach.",
          remedy:
            "Take `accept_open_network` out of sett.yml once the cluster has a plug-in that does.",
        },
      ];
    case "open":
      return [
        {
          ...{ ...base, level: "warning", found: "direct" },
          why: "Its command also reaches the pods and the nodes of the cluster.",
          remedy: useProxy,
        },
      ];
  }
}
