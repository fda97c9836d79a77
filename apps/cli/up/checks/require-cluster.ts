// Refuses before anything is made what a cluster cannot do yet, or never can.
import type { ProblemAt } from "../../../../lib/config/parse-config.ts";
import { formatProblem, sortProblems } from "../../../../lib/config/problems.ts";
import { clusterSizes } from "../../../../lib/config/start-sizes.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import type { Cassettes } from "../../services/input.ts";
import type { Finding } from "./beyond-engine.ts";
import { outOfReach } from "./require-reachable.ts";

type Input = {
  file: string;
  /** As it is written. */
  config: SettConfig;
  problemAt: ProblemAt;
};

/** Call this before a folder of `--record` is made. Throws `usage`. */
export function requireNoCassettes(cassettes: Cassettes | undefined, name: string): void {
  if (cassettes === undefined) return;
  const use = { record: "write its calls into", replay: "read calls from" }[cassettes.mode];
  throw new SettError(
    "usage",
    `--${cassettes.mode} cannot be used in a cluster: a gateway there cannot ${use} ${cassettes.folder}, a folder of this machine.`,
    {
      hint: `Leave it out, or do it with Docker on this machine: \`sett up --name NAME --runtime docker --${cassettes.mode} …\`, with another name than ${name}.`,
    },
  );
}

/** Throws `config-invalid`, with the line of each key. */
export function requireCluster({ file, config, problemAt }: Input): void {
  const problems = sortProblems(
    notInCluster(config).map(({ path, sentence }) => problemAt(path, sentence)),
  );
  if (problems.length > 0)
    throw new SettError(
      "config-invalid",
      `A cluster cannot run what ${file} says:\n${problems.map((problem) => `  ${formatProblem(problem)}`).join("\n")}`,
      { hint: "docs/guides/kubernetes.md says what works there, and what is not there yet." },
    );
}

/** What commands of agents reach of the machine that runs Docker is not there. */
const machineName = "host.docker.internal";

/** Workers share no disk there. */
const prepareNotThere =
  "is not there in a cluster yet: leave it out, and `command` can prepare what it needs, with the agent's own `egress` and secrets";

export function notInCluster(config: SettConfig): Finding[] {
  const { agents, images, models, notify, services, tools } = config;
  const ofAgent = (name: string, ...keys: (string | number)[]) => ["agents", name, ...keys];
  const named = (address: string | undefined) => address?.includes(machineName) === true;
  const machine = `is on ${machineName}, which a cluster does not have`;
  return [
    ...(images.push === undefined
      ? [
          {
            path: ["images"],
            sentence:
              "has no `push`: nodes pull images from a registry; name it, as in `images: { push: registry.example.org/team }`",
          },
        ]
      : []),
    ...agents.flatMap((agent) => [
      ...(agent.workspace.prepare === undefined
        ? []
        : [
            {
              path: ofAgent(agent.name, "workspace", "prepare"),
              sentence: prepareNotThere,
            },
          ]),
      ...agent.secrets.flatMap(({ name }, at) =>
        config.secrets[name]?.kubernetes === undefined
          ? [{ path: ofAgent(agent.name, "secrets", at), sentence: notOfCluster(name) }]
          : [],
      ),
      ...(agent.egress.some(named)
        ? [{ path: ofAgent(agent.name, "egress"), sentence: machine }]
        : []),
    ]),
    ...Object.entries(config.forges).flatMap(([name, { url }]) =>
      named(url) ? [{ path: ["forges", name, "url"], sentence: machine }] : [],
    ),
    ...Object.entries(tools.settings).flatMap(([name, { url }]) =>
      named(url) ? [{ path: ["tools", name, "mcp", "url"], sentence: machine }] : [],
    ),
    ...(services.api !== undefined && services.api.tls === undefined
      ? [{ path: ["services", "api"], sentence: withoutTls }]
      : []),
    ...ofMachineAlone(config),
    ...Object.entries(models.settings).flatMap(([name, { base_url }]) =>
      named(base_url) ? [{ path: ["models", name, "base_url"], sentence: machine }] : [],
    ),
    ...notify.flatMap(({ url }, index) =>
      named(url) ? [{ path: ["notify", index, "url"], sentence: machine }] : [],
    ),
    ...(config.isolation === undefined
      ? []
      : [
          {
            path: ["isolation"],
            sentence:
              "is a runtime of a Docker Engine: `kubernetes.runtime_class` names a cluster's",
          },
        ]),
    ...outOfReach(config),
    ...clusterSizes(config),
  ];
}

const withoutTls =
  "needs `tls`: in a cluster other pods see what goes to it; name a certificate, or write `tls: none` where an Ingress or a mesh encrypts";

/** Commands that stop an instance read these as well, and know no cluster. */
function ofMachineAlone({ secrets, services: { redis } }: SettConfig): Finding[] {
  return (["secret", "users"] as const).flatMap((key) =>
    secrets[redis[key] ?? ""]?.kubernetes === undefined
      ? []
      : [
          {
            path: ["services", "redis", key],
            sentence:
              "is a Secret of the cluster: name a file, a variable or a command of this machine for it",
          },
        ],
  );
}

function notOfCluster(name: string): string {
  return `is not a Secret of the cluster: make one, and name it, \`secrets: { ${name}: { kubernetes: { name: NAME, key: KEY } } }\``;
}
