// The API's settings, from its environment.
import { z } from "zod";
import { SettError } from "../../lib/model/errors.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { throughProxy } from "../../lib/model/proxy.ts";
import { Trigger } from "../../lib/model/trigger.ts";
import {
  countOf,
  healthAddress,
  jsonText,
  NonEmpty,
  PortText,
  RedisUrlOrSocket,
  readEnvironment,
  redisPatience,
  serviceUrl,
} from "../../lib/service/environment.ts";
import { TelemetryEnvironment, telemetrySettings } from "../../lib/telemetry/settings.ts";
import { OidcSettings } from "./access/oidc.ts";
import { KnownToken } from "./access/tokens.ts";
import { defaultLimits } from "./deps.ts";
import { ForgeSettings } from "./forge/settings.ts";

const exampleTokens = '[{"name":"ci","sha256":"9f86d081…","may":["read","forage"]}]';
const exampleOidc =
  '{"issuer":"https://id.example.org","audience":"sett","claim":"groups","rights":{"developers":["read","forage"]}}';

const exampleTriggers =
  '[{"kind":"cron","name":"nightly","cron":"0 3 * * *","time_zone":"UTC","missed":"once","goal":"Update the dependencies"}]';

const ProcessesShape = z.strictObject({
  folder: NonEmpty,
  supervisor: z.array(z.string()),
});

/** docs/reference/services.md#settings is made from the descriptions here. */
export const Environment = z.object({
  SETT_INSTANCE_NAME: InstanceName.describe("The instance, which is part of every key."),
  REDIS_URL: RedisUrlOrSocket.describe(
    "Where Redis is, with the service's user and password; `redis+unix://…@localhost/PATH` for a socket.",
  ),
  SETT_API_PORT: PortText.default(8443).describe("The port of the API and of the page."),
  SETT_API_HOST: NonEmpty.default("0.0.0.0").describe("The address that they listen on."),
  SETT_API_TOKENS: jsonText(z.array(KnownToken), exampleTokens)
    .default([])
    .describe("The tokens, each with its name, its SHA-256 and its rights, as JSON."),
  SETT_API_OIDC: jsonText(OidcSettings, exampleOidc)
    .optional()
    .describe("The identity provider whose tokens are good, too, as JSON."),
  SETT_API_SESSION_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: "must be 32 bytes in hexadecimal" })
    .optional()
    .describe(
      "The key of the page's sessions. Default: a file in `SETT_RESULTS_DIR`, else another one at each start.",
    ),
  SETT_API_TLS_CERT: NonEmpty.optional().describe(
    "The file of the TLS certificate, in PEM; without it, plain HTTP.",
  ),
  SETT_API_TLS_KEY: NonEmpty.optional().describe("The file of its private key, in PEM."),
  SETT_API_IS_SECURE: z
    .enum(["true", "false"])
    .optional()
    .describe(
      "`true` where a proxy before it does TLS: then browsers reach it by TLS alone (HSTS).",
    ),
  SETT_API_NAMES: jsonText(z.array(NonEmpty).min(1), '["127.0.0.1","localhost","[::1]"]')
    .optional()
    .describe(
      "By which names it may be asked, as JSON; a request for another host is refused. Default: any.",
    ),
  SETT_API_ORIGINS: jsonText(
    z.array(z.url({ protocol: /^https?$/ })),
    '["https://board.example.org"]',
  )
    .default([])
    .describe("Other origins whose pages may use the API, as JSON. Default: none."),
  SETT_API_MAX_BODY: z.coerce
    .number()
    .int()
    .min(1_024)
    .max(17 * 1024 * 1024)
    .default(defaultLimits.maxBodyBytes)
    .describe("How many bytes the body of a request may have."),
  SETT_API_RATE: countOf("a whole number")
    .default(defaultLimits.requestsPerMinute)
    .describe("Requests of one token in a minute."),
  SETT_API_WRITE_RATE: countOf("a whole number")
    .default(defaultLimits.writesPerMinute)
    .describe("Writes of one token in a minute."),
  SETT_TRIGGERS: jsonText(z.array(Trigger), exampleTriggers)
    .default([])
    .describe("What states goals by itself, as JSON. Default: nothing."),
  SETT_FORGES: jsonText(ForgeSettings, '{"forges":{},"agents":[]}')
    .optional()
    .describe("With `--forge`: the forges and their built-in agents, as JSON."),
  SETT_HOOK_SECRETS_DIR: NonEmpty.optional().describe(
    "Where the secrets of webhooks are, a file each; without it, the API takes no delivery of one.",
  ),
  SETT_KEPT_SECRETS_DIR: NonEmpty.optional().describe(
    "With `--forge`: where the secrets of agents are that a cluster keeps, a file each, which must not be in what is pushed.",
  ),
  SETT_TELEMETRY_HEADERS: NonEmpty.optional().describe(
    "The name of the file, in the folder of the secrets of webhooks, with the headers for the collector of traces.",
  ),
  SETT_REPOSITORY_DIR: NonEmpty.optional().describe(
    "Where the user's repository is; without it, the API states no goals and shows no commits.",
  ),
  SETT_REPOSITORY_COPY_DIR: NonEmpty.optional().describe(
    "Instead of that, where the API makes a repository for itself, which has what agents see, from the service of packs.",
  ),
  SETT_REPOSITORY_FILES: z
    .enum(["true", "false"])
    .default("true")
    .describe(
      "`false` where its files are not there, as in a container: a goal starts at HEAD, whatever is not committed.",
    ),
  SETT_PACKS_URL: NonEmpty.optional().describe(
    "Where the service of packs is, or its socket, `unix:/PATH`, where agents have no folders.",
  ),
  SETT_PACKS_TOKEN: NonEmpty.optional().describe(
    "Says to that service who asks, where it is reached at a port. `sett ui` sets it.",
  ),
  SETT_RESULTS_DIR: NonEmpty.optional().describe(
    "Where commits of agents are read, which stay out of a repository that is not to be written; without it, in there.",
  ),
  SETT_LOGS_URL: serviceUrl("unix:/run/sett/log-reader/log-reader.sock", "tls")
    .optional()
    .describe("Where the reader of logs is, or its socket; without it, the API shows no logs."),
  SETT_PROCESSES: jsonText(
    ProcessesShape,
    '{"folder":"/home/ada/.local/state/sett","supervisor":["sett","supervise"]}',
  )
    .optional()
    .describe("Where the processes of this machine are, as JSON: the API reads their logs itself."),
  SETT_RECORDER_URL: z
    .url({ protocol: /^(?:https?|unix|tls)$/ })
    .optional()
    .describe("Where the recorder is, or its socket, for what commands have printed."),
  ...healthAddress,
  ...redisPatience,
});

/** Adds those of telemetry, which have a section of their own. */
const WholeEnvironment = Environment.extend(TelemetryEnvironment.shape);

export type Settings = ReturnType<typeof readSettings>;

/** Throws `environment-invalid`, naming every variable that is missing or malformed. */
export function readSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(WholeEnvironment, environment);
  const tls = tlsOf(read.SETT_API_TLS_CERT, read.SETT_API_TLS_KEY);
  requireNames(read.SETT_API_TOKENS);
  return {
    instance: read.SETT_INSTANCE_NAME,
    redisUrl: read.REDIS_URL,
    port: read.SETT_API_PORT,
    host: read.SETT_API_HOST,
    tokens: read.SETT_API_TOKENS,
    oidc: read.SETT_API_OIDC,
    sessionKey: read.SETT_API_SESSION_KEY,
    tls,
    isSecure: tls !== undefined || read.SETT_API_IS_SECURE === "true",
    hostNames: read.SETT_API_NAMES,
    origins: read.SETT_API_ORIGINS.map((origin) => new URL(origin).origin),
    triggers: read.SETT_TRIGGERS,
    forges: read.SETT_FORGES,
    hookSecretsFolder: read.SETT_HOOK_SECRETS_DIR,
    keptSecretsFolder: read.SETT_KEPT_SECRETS_DIR,
    repositoryFolder: read.SETT_REPOSITORY_DIR,
    copyFolder: read.SETT_REPOSITORY_COPY_DIR,
    hasFiles: read.SETT_REPOSITORY_FILES === "true",
    packs:
      read.SETT_PACKS_URL === undefined
        ? undefined
        : { url: read.SETT_PACKS_URL, token: read.SETT_PACKS_TOKEN },
    resultsFolder: read.SETT_RESULTS_DIR,
    logs: { url: read.SETT_LOGS_URL, processes: read.SETT_PROCESSES },
    recorderUrl: read.SETT_RECORDER_URL,
    healthPort: read.SETT_HEALTH_PORT,
    healthHost: read.SETT_HEALTH_HOST,
    telemetry: telemetrySettings(read, (url) => throughProxy(url, environment)),
    telemetryHeaders: read.SETT_TELEMETRY_HEADERS,
    redisTimeoutMs: read.SETT_REDIS_TIMEOUT,
    redisGiveUpMs: read.SETT_REDIS_GIVE_UP,
    limits: {
      ...defaultLimits,
      maxBodyBytes: read.SETT_API_MAX_BODY,
      requestsPerMinute: read.SETT_API_RATE,
      writesPerMinute: read.SETT_API_WRITE_RATE,
    },
  };
}

function tlsOf(
  certificate: string | undefined,
  key: string | undefined,
): { certificate: string; key: string } | undefined {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  throw new SettError(
    "environment-invalid",
    "SETT_API_TLS_CERT and SETT_API_TLS_KEY belong together.",
    {
      hint: "Set both, or neither of them.",
    },
  );
}

/** A name says on record who it was. */
function requireNames(tokens: readonly KnownToken[]): void {
  const names = tokens.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  throw new SettError("environment-invalid", `SETT_API_TOKENS names ${twice} twice.`, {
    hint: "Give each token a name of its own.",
  });
}
