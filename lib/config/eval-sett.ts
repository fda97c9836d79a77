// The sett.yml of one setting of `sett eval`: what the setting overrides, without what would reach
// others, and with an agent that runs the checks. Pure.
import { isAbsolute, resolve } from "node:path";
import { stringify } from "yaml";
import { SettError } from "../model/errors.ts";
import type { EvalFile, EvalGoal } from "../model/eval-file.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import { shellWord } from "../model/shell-word.ts";
import type { EvalSetting } from "./eval-settings.ts";
import type { ConfigPath } from "./problems.ts";

/** A person posts it when a goal has ended, and the agent that runs the checks works on it. */
const evalChecksType = "EvalChecks";
const passedType = "ChecksPassed";
const agentName = "eval-checks";

/**
 * `folder`: where the person's sett.yml is, with files that are not committed. `token`: no agent
 * knows it, so that none can ask for the checks of another goal. `commits`: where work on each goal
 * begins.
 */
type EvalOf = {
  file: EvalFile;
  folder: string;
  token: string;
  commits: ReadonlyMap<string, string>;
};

/** `data`: of sett.yml. Throws `usage` for a file with which others would be reached. */
export function evalSett(data: unknown, { overrides }: EvalSetting, of: EvalOf): string {
  const whole: Record<string, unknown> = structuredClone(isObject(data) ? data : {});
  for (const { path, value, word } of overrides) override(whole, { path, value, word });
  locate(whole, of.folder);
  const agents = Object.entries(isObject(whole.agents) ? whole.agents : {});
  const [forging] = agents.find(([, agent]) => isObject(agent) && agent.forge !== undefined) ?? [];
  if (forging !== undefined)
    throw new SettError("usage", `The agent ${forging} would make pull requests of each run.`, {
      hint: "Leave it out, in a file of its own: --file FILE",
    });
  const [taken] = agents.map(([name]) => name).filter((name) => name.startsWith(agentName));
  if (taken !== undefined)
    throw new SettError("usage", `sett.yml has an agent ${taken}, as an eval calls its own.`, {
      hint: "Rename it.",
    });
  const { triggers: _triggers, notify: _notify, services, ...rest } = whole;
  const { api: _api, ...others } = isObject(services) ? services : {};
  return stringify(
    {
      ...rest,
      ...(Object.keys(others).length > 0 && { services: others }),
      agents: {
        ...Object.fromEntries(agents.map(([name, agent]) => [name, ignoringChecks(agent)])),
        ...checkers(of),
      },
    },
    { lineWidth: 0 },
  );
}

/** A clone has no secret, and no certificate that only this machine knows. */
function locate({ secrets, models, services }: Record<string, unknown>, folder: string): void {
  const places: [unknown, string][] = [
    ...Object.values(isObject(secrets) ? secrets : {}).map((one): [unknown, string] => [
      one,
      "file",
    ]),
    [models, "ca"],
    [isObject(services) ? services.redis : undefined, "ca"],
  ];
  for (const [holder, key] of places) {
    if (!isObject(holder) || typeof holder[key] !== "string") continue;
    const path = holder[key];
    if (!isAbsolute(path) && !path.startsWith("~/"))
      Object.assign(holder, { [key]: resolve(folder, path) });
  }
}

/** The text of the artefact that asks for the checks of a goal. */
export function checksOrder(token: string, goal: string): string {
  return `Checks of ${goal} (${token})`;
}

/** Throws `usage` where the way leads through something that has no keys. */
function override(whole: object, { path, value, word }: EvalSetting["overrides"][number]): void {
  let inner: unknown = whole;
  for (const step of path.slice(0, -1)) {
    const holder = requireKeys(inner, word);
    if (!Object.hasOwn(holder, step)) holder[step] = {};
    inner = holder[step];
  }
  const last: ConfigPath[number] = path.at(-1) ?? "";
  requireKeys(inner, word)[last] = value;
}

function requireKeys(value: unknown, word: string): Record<string | number, unknown> {
  // A list has its indexes as keys.
  if (typeof value === "object" && value !== null) return value as Record<string | number, unknown>;
  throw new SettError("usage", `--with ${word}: sett.yml has no such key.`, {
    hint: "docs/reference/sett-yml.md lists the keys.",
  });
}

/** Agents of the sett do not bid on the order of checks, and none of their models is asked. */
function ignoringChecks(agent: unknown): unknown {
  if (!isObject(agent)) return agent;
  const { bids, bid_command: command, prompts } = agent;
  const decides = command !== undefined || (isObject(prompts) && prompts.claim !== undefined);
  if (!decides && !Array.isArray(bids)) return agent;
  const rules: unknown[] = Array.isArray(bids) ? bids : [];
  return { ...agent, bids: [{ on: `${evalChecksType}*`, bid: "ignore" }, ...rules] };
}

/** Makes an agent for each image that checks need. */
function checkers({ file, token, commits }: EvalOf): JsonObject {
  const goals = Object.entries(file.goals).filter(([, { checks }]) => checks.length > 0);
  const byImage = Map.groupBy(goals, ([, { image = file.image }]) => image);
  return Object.fromEntries(
    [...byImage].map(([image, ofImage], at) => [
      at === 0 ? agentName : `${agentName}-${at + 1}`,
      {
        image,
        command: ["sh", "-c", script(token, ofImage, commits)],
        bids: [{ on: typeFor(file, image), bid: "claim" }],
        workspace: { mode: "ro" },
        network: "none",
        timeout: `${Math.ceil(Math.max(...ofImage.map(([, goal]) => limitOf(goal))) / 1_000) + 60}s`,
      },
    ]),
  );
}

/** Each image has a type of its own, so that only its agent bids. */
export function checksTypeOf(file: EvalFile, { image = file.image }: EvalGoal): string {
  return typeFor(file, image);
}

function typeFor(file: EvalFile, image: string): string {
  const images = [...new Set(Object.values(file.goals).map((goal) => goal.image ?? file.image))];
  const at = images.indexOf(image);
  return at === 0 ? evalChecksType : `${evalChecksType}${at + 1}`;
}

function limitOf({ checks }: EvalGoal): number {
  return checks.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0);
}

/**
 * The shell script of such an agent. It needs no program but `timeout`, and `git` where files are
 * restored. What checks print goes to stderr, which the record keeps; a failure names the numbers
 * of checks and their exit codes on stdout.
 */
function script(
  token: string,
  goals: readonly [string, EvalGoal][],
  commits: ReadonlyMap<string, string>,
): string {
  const cases = goals.map(([name, { checks, restore }]) => {
    const lines = checks.flatMap(({ run, timeoutMs }) => [
      String(Math.ceil(timeoutMs / 1_000)),
      shellWord(run),
    ]);
    const files = restore.map((path) => ` ${shellWord(path)}`).join("");
    const restoring =
      files === ""
        ? ""
        : `git checkout --quiet ${commits.get(name) ?? "HEAD"} --${files} >&2 || exit 2; `;
    return `*'"payload":"${checksOrder(token, name)}"'*) ${restoring}set -- ${lines.join(" ")} ;;`;
  });
  return `case $(cat) in
${cases.join("\n")}
esac
number=0
failed=
while [ $# -gt 0 ]; do
  number=$((number + 1))
  printf 'check %s: %s\\n' "$number" "$2" >&2
  code=0
  timeout "$1" sh -c "$2" </dev/null >&2 || code=$?
  [ "$code" -eq 0 ] || failed="$failed $number:$code"
  shift 2
done
if [ -n "$failed" ]; then
  printf 'failed%s' "$failed"
  exit 1
fi
echo '{"structural_type":"Terminal","artefact_type":"${passedType}","artefact_payload":"","summary":"All checks have passed"}'
`;
}
