// Refuses, before anything is made, a Redis elsewhere that cannot hold a blackboard.
import type { UserWithPassword } from "../../../../lib/blackboard/redis/administration.ts";
import type { Surveyed } from "../../../../lib/blackboard/redis/survey.ts";
import type { ProblemAt } from "../../../../lib/config/parse-config.ts";
import { formatProblem } from "../../../../lib/config/problems.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import type { Elsewhere } from "../secrets/read-elsewhere.ts";

type Input = {
  file: string;
  problemAt: ProblemAt;
  instance: InstanceName;
  id: string;
  elsewhere: Elsewhere;
  /** They must be there; undefined where `sett up` makes them. */
  users: readonly UserWithPassword[] | undefined;
  /** In a container `localhost` is the container. */
  isInContainer: boolean;
};

/**
 * Returns sentences about what is allowed, and yet no good. Throws `redis-unreachable`,
 * `config-invalid` with everything that is missing, and `instance-taken`.
 */
export async function requireRedis(input: Input): Promise<string[]> {
  const { file, problemAt, instance, id, elsewhere, users, isInContainer } = input;
  const { url, ca, shown } = elsewhere;
  const invalid = (sentences: readonly string[], hint: string) => {
    const lines = sentences.map((sentence) =>
      formatProblem(problemAt(["services", "redis", "url"], sentence)),
    );
    const what = `Redis at ${shown} cannot hold the blackboard:`;
    return new SettError(
      "config-invalid",
      `${what}\n${lines.map((line) => `  ${line}`).join("\n")}`,
      {
        hint,
      },
    );
  };
  if (isInContainer && /^(?:localhost:|127\.|\[::1\]:)/.test(shown)) {
    throw invalid(
      ["is the container itself: the instance's parts run in containers"],
      `Write the name of this machine in ${file}; its Redis must listen there, too.`,
    );
  }
  const { refusedUsers, surveyRedis } = await import("../../../../lib/blackboard/redis/survey.ts");
  const at = { url, ca, instance };
  const found = await surveyRedis(at, { makesUsers: users === undefined });
  const lacks = lacksOf(found);
  if (lacks.length > 0) {
    throw invalid(
      lacks,
      "Nothing was made. docs/guides/elsewhere.md says what that Redis needs; without `url`, `sett up` starts one itself.",
    );
  }
  if (found.owner !== undefined && found.owner !== id) throw takenElsewhere(instance, shown);
  if (users !== undefined) {
    const refused = await refusedUsers(at, users);
    if (refused.length > 0) throw lacksUsers(instance, shown, refused);
    return [];
  }
  return found.hasUserFile === true
    ? []
    : [
        `Redis at ${shown} keeps no file of its users (\`aclfile\`). After its restart no part of ${instance} gets in until \`sett up\` makes them again.`,
      ];
}

function lacksUsers(instance: InstanceName, shown: string, refused: readonly string[]): SettError {
  return new SettError(
    "config-invalid",
    `Redis at ${shown} does not let in ${refused.join(", ")}: such a user is not there, or is of another secret or another version of sett.`,
    {
      hint: `Nothing was made. \`sett up --name ${instance} --print-users\` prints the commands that make them, for the operators of that Redis.`,
    },
  );
}

/** Another sett has this name there. */
export function takenElsewhere(instance: InstanceName, shown: string): SettError {
  return new SettError(
    "instance-taken",
    `Redis at ${shown} has the blackboard of another ${instance}.`,
    {
      hint: `Choose another name with --name. Where that one is gone, and this one is to go on with its blackboard: \`redis-cli DEL sett:${instance}:owner\` there.`,
    },
  );
}

/** A sentence for each thing that is missing, with what it means. Pure. */
export function lacksOf(found: Surveyed): string[] {
  const { version, mode, isReplica, policy, isAppendOnly, functionProblem, userProblem } = found;
  if (/^[0-6]\./.test(version))
    return [`is Redis ${version}: Sett stores by functions, which Redis has since 7.0`];
  if (mode !== "standalone") {
    return [
      `is a ${mode}: a step of Sett changes many keys at once, which must be in one server. Name a Redis that is none`,
    ];
  }
  if (isReplica) {
    return [
      "is a replica, which only copies another server and takes no write: name the primary, or an address that leads to it",
    ];
  }
  return [
    ...(policy === "noeviction"
      ? []
      : [
          `removes keys when it is full (maxmemory-policy ${policy}), and with them claims and results: \`CONFIG SET maxmemory-policy noeviction\``,
        ]),
    ...(isAppendOnly
      ? []
      : [
          "writes no append-only file, so that its restart loses goals and results: `CONFIG SET appendonly yes`, and `appendfsync everysec`",
        ]),
    ...(functionProblem === undefined
      ? []
      : [
          `takes no functions, by which Sett stores everything: ${withRemedy(functionProblem, "its user needs `+function`")}`,
        ]),
    ...(userProblem === undefined
      ? []
      : [
          `lets its user make no users, which keep agents from the blackboard of others: ${withRemedy(userProblem, "its user needs `+acl`")}; or others make them, and \`services.redis.users\` says so`,
        ]),
  ];
}

/** A right does not help where the server has no such command, as some that others run. */
function withRemedy(problem: string, remedy: string): string {
  return problem.startsWith("NOPERM") ? `${problem}; ${remedy}` : problem;
}
