// Judges all facts: from the machine to the parts of the instance.

import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { partName } from "../../../lib/runtime/part-name.ts";
import type { Finding } from "../facts/finding.ts";
import { aboutPruning } from "../facts/pruning-remotes.ts";
import type { DoctorFacts, InstanceFacts, PartFacts } from "./facts.ts";
import { judgeEngine } from "./judge-engine.ts";
import { judgeExchange } from "./judge-exchange.ts";
import { judgeLacking } from "./judge-lacking.ts";
import { judgeMachineNetworks } from "./judge-machine-networks.ts";
import { judgePart } from "./judge-part.ts";
import { judgeBodies, judgeRecord } from "./judge-record.ts";
import { judgeRedis } from "./judge-redis.ts";
import { judgeSecrets } from "./judge-secrets.ts";
import { judgeLayers, judgeStore } from "./judge-shown.ts";
import { judgeWatches } from "./judge-watches.ts";
import { diskFinding, isAtLeast } from "./measures.ts";

/** The first with `git init --object-format`. */
const minGit = [2, 29] as const;

export function judge(facts: DoctorFacts, suggest: Suggest): Finding[] {
  const { disk, engine, instance, watches, secrets } = facts;
  return [
    gitFinding(facts),
    ...(disk === undefined ? [] : [diskFinding("machine", disk, "Make room on this file system.")]),
    ...(watches === undefined ? [] : [judgeWatches(watches)]),
    ...judgeEngine(engine, instance === undefined || instance.runtime === "docker"),
    ...(secrets === undefined ? [] : judgeSecrets(secrets)),
    instanceFinding(facts, suggest),
    ...(instance === undefined ? [] : partFindings(facts, instance, suggest)),
  ];
}

function gitFinding({ git }: DoctorFacts): Finding {
  const base = { subject: "machine", check: "git" };
  const remedy = "Install git 2.29 or newer.";
  if (git === undefined) {
    const why = "Agents work on commits, which sett takes from the repository with git.";
    return { ...base, level: "problem", found: "there is no git on the PATH", why, remedy };
  }
  if (isAtLeast(git, minGit)) return { ...base, level: "ok", found: git };
  return {
    ...base,
    level: "problem",
    found: git,
    why: "Sett makes repositories as only a newer git can.",
    remedy,
  };
}

function instanceFinding(
  { instance, isInRepository, engine, cluster }: DoctorFacts,
  suggest: Suggest,
): Finding {
  const base = { subject: "instance", check: "state" };
  if (instance === undefined) {
    const found = isInRepository
      ? "this repository has none"
      : "none, for this is no git repository";
    const why = "Only the machine was checked.";
    if (cluster !== undefined)
      return {
        ...{ ...base, level: "problem", found: "not known: the cluster of one cannot be asked" },
        ...{ why: cluster.message, remedy: cluster.hint },
      };
    if (engine.state === "silent")
      return { ...base, level: "note", found: "not known", why, remedy: engine.hint };
    const remedy = isInRepository
      ? `Start one: \`${suggest("up")}\``
      : "Go to your repository, or name one: --name NAME";
    return { ...base, level: "note", found, why, remedy };
  }
  const { name, state, runtime } = instance;
  const found = `${name}: ${state}`;
  if (runtime === "remote") {
    const why = "REDIS_URL is set: only Redis was checked, and no container.";
    return {
      ...base,
      level: "note",
      found,
      why,
      remedy: "Without REDIS_URL, sett finds the instance of this repository.",
    };
  }
  if (state === "running") return { ...base, level: "ok", found };
  const remedy = `\`${suggest("up")}\` starts what is missing.`;
  if (state === "down")
    return { ...base, level: "note", found, why: "Its blackboard is kept.", remedy };
  return { ...base, level: "problem", found, why: "Work waits for the missing parts.", remedy };
}

function partFindings(
  { version, engine, machineNetworks: now }: DoctorFacts,
  { parts, redis, record, bodies, exchange, lacking, store, pruning, gone, layers }: InstanceFacts,
  suggest: Suggest,
): Finding[] {
  const up = suggest("up");
  const architecture = engine.state === "answers" ? engine.architecture : undefined;
  const isRootless = engine.state === "answers" && engine.security.includes("rootless");
  // Where an Engine is near, all ports that sett reaches are published.
  const isElsewhere = parts.some(({ part }) => part.ports.some(({ ledBy }) => ledBy !== undefined));
  const around = { engine: architecture, version, up, isRootless, isElsewhere };
  return [
    ...(redis === undefined ? [] : judgeRedis(redis, up)),
    ...judgeRecord(record, suggest("prune")),
    ...judgeBodies(bodies),
    ...parts.flatMap((facts) => {
      const [subject, container] = [subjectOf(facts), facts.part.name];
      return [
        ...judgePart(facts, { subject, container, ...around }),
        ...judgeMachineNetworks(facts, { subject, now, up }),
        ...judgeWay(facts),
      ];
    }),
    ...judgeExchange(exchange, diskLimits(parts), suggest("hoard")),
    ...judgeLacking(lacking),
    ...judgeStore(store),
    ...judgePruning(pruning),
    ...judgeGone(gone),
    ...judgeLayers(layers),
  ];
}

function judgePruning(remotes: readonly string[] = []): Finding[] {
  if (remotes.length === 0) return [];
  return [
    {
      subject: "repository",
      check: "fetches",
      level: "warning",
      ...aboutPruning(remotes),
      why: "Goals and results then have no name in git: they cannot be merged by it, and git's next clean-up may remove the commits.",
    },
  ];
}

const shownNames = 3;

function judgeGone(gone: readonly string[] = []): Finding[] {
  const [first] = gone;
  if (first === undefined) return [];
  const names = gone.slice(0, shownNames).join(", ");
  const more = gone.length > shownNames ? ` and ${gone.length - shownNames} more` : "";
  const all = `${first.split("/", 3).join("/")}/*`;
  return [
    {
      subject: "repository",
      check: "results",
      level: "problem",
      found: `git has no commit any more, or not its files' list, for ${names}${more}`,
      why: "They cannot be merged, and no agent can go on from them. A disk has lost objects of git, or a person has removed them.",
      remedy: `\`git fetch --refetch CLONE '${all}:${all}'\` brings them from a clone that has them; a back-up has them, too.`,
    },
  ];
}

/** By agent, as `sett up` has given it to the containers; a process has none. */
function diskLimits(parts: readonly PartFacts[]): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { part } of parts) {
    const bytes = Number(part.env.SETT_DISK_LIMIT);
    if ("agent" in part.labels && bytes > 0) limits.set(part.labels.agent, bytes);
  }
  return limits;
}

/** An agent may have the name of another subject. */
function subjectOf({ part }: PartFacts): string {
  const { component } = part.labels;
  return component === "agent" || component === "worker"
    ? `${component} ${partName(part)}`
    : partName(part);
}

/** Says how a service reaches other hosts, where that is not the usual way. */
function judgeWay(facts: PartFacts): Finding[] {
  const { labels, env } = facts.part;
  const { HTTPS_PROXY: proxy, NODE_EXTRA_CA_CERTS: ca } = env;
  const isService = ["gateway", "api", "forge", "orchestrator"].includes(labels.component);
  if (!isService || (proxy === undefined && ca === undefined)) return [];
  const found = [
    ...(proxy === undefined ? [] : [`through the proxy ${URL.parse(proxy)?.host ?? "of its own"}`]),
    ...(ca === undefined ? [] : ["with certificates of your own"]),
  ].join(", ");
  return [{ subject: subjectOf(facts), check: "way to other hosts", level: "ok", found }];
}
