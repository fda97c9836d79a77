// Refuses before anything is made what an Engine cannot do that does not see this machine's files,
// as one on another machine, and says what is otherwise there.

import type { ProblemAt } from "../../../../lib/config/parse-config.ts";
import type { ConfigPath, ConfigProblem } from "../../../../lib/config/problems.ts";
import { formatProblem, sortProblems } from "../../../../lib/config/problems.ts";
import { lookingAtNames } from "../../../../lib/config/trigger-findings.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import type { Cassettes } from "../../services/input.ts";
import type { Finding } from "./beyond-engine.ts";

type Input = {
  file: string;
  config: SettConfig;
  cassettes: Cassettes | undefined;
  problemAt: ProblemAt;
};

const machineName = "host.docker.internal";

/** Throws `config-invalid`, with the line of each key, and `usage` for a folder of an option. */
export function requireReachable(
  { file, config, cassettes, problemAt }: Input,
  warn: (sentence: string) => void,
): void {
  if (cassettes !== undefined)
    throw new SettError(
      "usage",
      `--${cassettes.mode} ${cassettes.folder} cannot be used: the Docker Engine does not see the files of this machine.`,
      { hint: "Recorded calls of models need an Engine of the machine on which the folder is." },
    );
  const problemsOf = (findings: readonly Finding[]): ConfigProblem[] =>
    findings.map(({ path, sentence }) => problemAt(path, sentence));
  const problems = sortProblems(problemsOf(outOfReach(config)));
  if (problems.length > 0) {
    const lines = problems.map((problem) => `  ${formatProblem(problem)}`);
    throw new SettError(
      "config-invalid",
      `The Docker Engine does not see the files of this machine, and ${file} needs that:\n${lines.join("\n")}`,
      {
        hint: "Correct the file, or use an Engine of this machine: `docker context ls` shows which there are. docs/guides/elsewhere.md says what works.",
      },
    );
  }
  for (const problem of problemsOf(otherThere(config))) warn(formatProblem(problem));
}

/** This needs files of this machine, or a way that such an Engine does not have. */
export function outOfReach({
  services: { redis },
  triggers,
}: Pick<SettConfig, "services" | "triggers">): Finding[] {
  return [
    ...(redis.url?.includes(machineName) === true
      ? [
          {
            path: ["services", "redis", "url"],
            sentence: `is on ${machineName}, which is another machine there than here: write a name that both machines know`,
          },
        ]
      : []),
    ...lookingAtNames(triggers).map(({ name }) => ({
      path: ["triggers", name],
      sentence:
        "waits for a name of the repository, which is not there: let `cron` or a webhook post the goal",
    })),
  ];
}

/** Returns what is possible, but differs from an Engine of this machine. */
export function otherThere({
  agents,
  models,
  notify,
  services: { api },
}: Pick<SettConfig, "agents" | "models" | "notify" | "services">): Finding[] {
  const named = (address: string) => address.includes(machineName);
  const { ca, proxy = "" } = models.way;
  const goesOut = Object.keys(models.settings).length > 0 || notify.length > 0 || api !== undefined;
  const paths: ConfigPath[] = [
    ...(goesOut && named(proxy) ? [["models", "proxy"]] : []),
    ...Object.entries(models.settings).flatMap(([name, { base_url }]) =>
      named(base_url) ? [["models", name, "base_url"]] : [],
    ),
    ...notify.flatMap(({ url }, index) => (named(url) ? [["notify", index, "url"]] : [])),
    ...agents.flatMap(({ name, egress }) =>
      egress.some(named) ? [["agents", name, "egress"]] : [],
    ),
  ];
  return [
    ...paths.map((path) => ({
      path,
      sentence: `${machineName} is the machine of the Docker Engine there, and not this one`,
    })),
    ...(ca === undefined || !goesOut
      ? []
      : [
          {
            path: ["models", "ca"],
            sentence: `${ca} is a file of this machine, which no service has there: a host whose certificate needs it is not reached`,
          },
        ]),
    ...(api === undefined
      ? []
      : [
          {
            path: ["services", "api"],
            sentence:
              "listens on the machine of the Docker Engine; a goal begins there at HEAD as it was at the last `sett up` or `sett forage`",
          },
        ]),
  ];
}
