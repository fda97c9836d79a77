// Judges the Redis of an instance.
import { isRefusedBy, type TraceProblem } from "../../../lib/blackboard/records/trace-problem.ts";
import { hookText, noticeRemedy, traceRemedy } from "../../../lib/client/render/notice-problem.ts";
import type { NoticeProblem } from "../../../lib/model/notify.ts";
import { sizeText } from "../../../lib/model/size-text.ts";
import type { Finding } from "../facts/finding.ts";
import type { RedisFacts } from "./facts.ts";
import { clockFinding, diskFinding, isAtLeast } from "./measures.ts";

const subject = "redis";
const minVersion = [7, 0] as const;
const fullAt = 0.8;
const shownKeys = 5;

/** `up`: the command that starts it again. */
export function judgeRedis(redis: RedisFacts, up: string): Finding[] {
  const { elsewhere } = redis;
  if (elsewhere === undefined) return judge(redis, up);
  return judge(redis, up).map((finding) => atOthers(finding, elsewhere));
}

/** `sett up` sets nothing there, and `sett logs` shows nothing of it. */
function atOthers(finding: Finding, elsewhere: string): Finding {
  if (finding.subject !== subject) return finding;
  const found = finding.check === "version" ? `${finding.found}, at ${elsewhere}` : finding.found;
  if (finding.level === "ok") return { ...finding, found };
  return {
    ...finding,
    found,
    remedy: `${remediesAtOthers[finding.check] ?? finding.remedy} (Redis is at ${elsewhere})`,
  };
}

const remediesAtOthers: Readonly<Record<string, string>> = {
  answer: "`sett logs redis` says why it is not reached; then ask those who run that Redis.",
  version: "Name a Redis of version 7 or newer in `services.redis.url`.",
  persistence: "In that Redis: `appendonly yes` and `appendfsync everysec`.",
  role: "Make it the primary again (`REPLICAOF NO ONE`), or let the address lead to the primary. Work goes on by itself then.",
  "writes to disk": "That Redis needs room where it keeps its data.",
  memory:
    "In that Redis: `maxmemory`, and `maxmemory-policy noeviction`; `sett prune --before 30d` makes room.",
};

function judge(redis: RedisFacts, up: string): Finding[] {
  if (redis.state === "silent") {
    const why = "The blackboard is in Redis: without it no work begins, and no result is stored.";
    return [
      { subject, check: "answer", level: "problem", found: redis.message, why, remedy: redis.hint },
    ];
  }
  return [
    versionFinding(redis),
    ...(redis.primary === undefined ? [] : [replicaFinding(redis.primary)]),
    persistenceFinding(redis, up),
    writesFinding(redis),
    memoryFinding(redis, up),
    ...(redis.disk === undefined
      ? []
      : [
          diskFinding(
            subject,
            redis.disk,
            "Make room there; `sett prune --before 30d` makes the blackboard smaller.",
          ),
        ]),
    clockFinding(subject, redis.clock),
    owedFinding(redis),
    ...keysFindings(redis),
    ...(redis.noticeProblems ?? []).map((problem) => noticeFinding(problem, up)),
    ...(redis.traceProblem === undefined ? [] : [traceFinding(redis.traceProblem, up)]),
  ];
}

type Answer = Extract<RedisFacts, { state: "answers" }>;

function owedFinding({ owed: { count, oldest } }: Answer): Finding {
  const base = { subject: "orchestrator", check: "events" };
  if (oldest === undefined) return { ...base, level: "ok", found: "all are handled" };
  const { id, type, reason } = oldest;
  return {
    ...base,
    level: "problem",
    found: `${count} could not be handled; the oldest is ${id} (${type}): ${reason}`,
    why: "What they ask for (a claim, an end, another try) has not happened. The orchestrator tries them again every few seconds.",
    remedy:
      "`sett logs orchestrator` has the whole error. Where a key was written over by hand, mend it; then the events are handled by themselves.",
  };
}

function keysFindings({ mistyped = [] }: Answer): Finding[] {
  if (mistyped.length === 0) return [];
  const shown = mistyped
    .slice(0, shownKeys)
    .map(({ key, is, toBe }) => `${key} is a ${is} and was a ${toBe}`)
    .join(", ");
  const more = mistyped.length > shownKeys ? ` and ${mistyped.length - shownKeys} more` : "";
  return [
    {
      subject: "record",
      check: "keys",
      level: "problem",
      found: `replaced by hand by a key of another type: ${shown}${more}`,
      why: "Redis refuses all that reads or writes them: goals may wait, and commands fail.",
      remedy:
        "A copy of Redis' volume may have what was there before: put it back, or, where it has nothing under this key, remove the key. Most of what waits then goes on by itself; `sett cancel` ends a goal that does not.",
    },
  ];
}

function noticeFinding(problem: NoticeProblem, up: string): Finding {
  const { since, reason, is_given_up } = problem;
  return {
    subject: "orchestrator",
    check: "webhooks",
    level: "problem",
    found: `${hookText(problem)} could not be notified since ${since}: ${reason}`,
    why: `No person learns there of what waits. ${is_given_up ? "That notification is given up." : "It is tried again for a day."}`,
    remedy: noticeRemedy(problem, () => up),
  };
}

function traceFinding(problem: TraceProblem, up: string): Finding {
  const { to, since, reason } = problem;
  return {
    subject: "api",
    check: "traces",
    level: "problem",
    found: `traces have not reached ${to} since ${since}: ${reason}`,
    why: isRefusedBy(problem.status)
      ? "Those that it refuses are lost."
      : "They are kept for a while, and then lost.",
    remedy: traceRemedy(problem, () => up),
  };
}

function versionFinding({ version }: Answer): Finding {
  const base = { subject, check: "version", found: version };
  if (isAtLeast(version, minVersion)) return { ...base, level: "ok" };
  const why = "Sett stores by functions, which Redis has since 7.0.";
  return {
    ...base,
    level: "problem",
    why,
    remedy: "Remove `services.redis.image` from sett.yml, or name redis:7-alpine.",
  };
}

function persistenceFinding({ isAppendOnly, fsync }: Answer, up: string): Finding {
  const base = { subject, check: "persistence" };
  const remedy = `\`${up}\` sets what Sett needs. In a Redis of your own: \`appendonly yes\` and \`appendfsync everysec\`.`;
  if (!isAppendOnly) {
    return {
      ...base,
      level: "problem",
      found: "appendonly is off",
      why: "Goals and results are lost when Redis ends.",
      remedy,
    };
  }
  if (fsync === undefined) return { ...base, level: "ok", found: "appendonly is on" };
  const found = `appendonly is on, appendfsync ${fsync}`;
  if (fsync !== "no") return { ...base, level: "ok", found };
  return {
    ...base,
    level: "warning",
    found,
    why: "When the machine fails, half a minute of work may be lost.",
    remedy,
  };
}

function replicaFinding(primary: string): Finding {
  return {
    ...{ subject, check: "role", level: "problem" },
    found: `a replica of ${primary}`,
    why: "It refuses every write: no work begins, and results wait.",
    remedy: "Make it the primary again: `redis-cli REPLICAOF NO ONE`. Work goes on by itself then.",
  };
}

function writesFinding({ failed }: Answer): Finding {
  const base = { subject, check: "writes to disk" };
  if (failed.length === 0) return { ...base, level: "ok", found: "the last one was good" };
  return {
    ...base,
    level: "problem",
    found: `the last ${failed.join(" and the last ")} failed`,
    why: "Redis refuses writes while it cannot write to its disk.",
    remedy: "Make room where Redis keeps its data. `sett logs redis` names the cause.",
  };
}

function memoryFinding({ usedBytes, limitBytes, policy }: Answer, up: string): Finding {
  const base = { subject, check: "memory" };
  if (limitBytes === 0) {
    const why = "Redis grows until the system ends it.";
    return {
      ...base,
      level: "warning",
      found: `${sizeText(usedBytes)}, without a limit`,
      why,
      remedy: `\`${up}\` sets maxmemory.`,
    };
  }
  const found = `${sizeText(usedBytes)} of ${sizeText(limitBytes)}, policy ${policy}`;
  if (policy !== "noeviction") {
    const why = "When it is full, Redis removes keys of the blackboard.";
    return {
      ...base,
      level: "problem",
      found,
      why,
      remedy: `\`${up}\` sets it; in a Redis of your own: maxmemory-policy noeviction.`,
    };
  }
  if (usedBytes < fullAt * limitBytes) return { ...base, level: "ok", found };
  const why = "Redis refuses writes when it is full, large results first.";
  const remedy = `\`sett prune --before 30d\`, or raise services.redis.resources.limits.memory in sett.yml, then \`${up}\`.`;
  return { ...base, level: "warning", found, why, remedy };
}
