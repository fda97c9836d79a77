// Looks at a Redis that Sett did not start: what it is, and what its user may do there. It leaves
// nothing behind.
import { randomBytes } from "node:crypto";
import { messageOf, SettError } from "../../model/errors.ts";
import type { InstanceName } from "../../model/ids.ts";
import { keysOf } from "../records/keys.ts";
import type { UserWithPassword } from "./administration.ts";
import { type Client, endpointOf, isBadCredential, newClient, unreachable } from "./client.ts";
import { connected } from "./probe.ts";
import { sharedPrefix, userNameOf } from "./users.ts";

export type Surveyed = {
  /** `7.0.15`, by the protocol: others than Redis say with which version they are compatible. */
  version: string;
  /** `standalone`, `cluster` or `sentinel`. */
  mode: string;
  isReplica: boolean;
  /** The name of what it does when it is full, such as `noeviction`. */
  policy: string;
  isAppendOnly: boolean;
  /** Why it took no function, and no user; undefined where it did, or was not tried. */
  functionProblem: string | undefined;
  userProblem: string | undefined;
  /** It keeps users in a file; undefined where that could not be tried. */
  hasUserFile: boolean | undefined;
  /** The id of the sett whose blackboard is there. */
  owner: string | undefined;
};

const answerWithinMs = 10_000;

export type At = { url: string; ca: string | undefined; instance: InstanceName };

/**
 * `makesUsers`: `sett` makes them there, which is tried. Rejects with `redis-unreachable`, in a
 * sentence that names the cause.
 */
export async function surveyRedis(
  { url, ca, instance }: At,
  { makesUsers }: { makesUsers: boolean },
): Promise<Surveyed> {
  const client = newClient(url, answerWithinMs, answerWithinMs, ca);
  try {
    await client.connect();
    const info = await client.info();
    const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, "m").exec(info)?.[1] ?? "";
    const found = {
      version: field("redis_version"),
      mode: modeOf(field),
      isReplica: field("role") !== "master",
      policy: field("maxmemory_policy") || "unknown",
      isAppendOnly: field("aof_enabled") === "1",
    };
    // Each of these would be refused for that reason alone.
    const isOther =
      found.isReplica || found.mode !== "standalone" || /^[0-6]\./.test(found.version);
    const noUsers = { userProblem: undefined, hasUserFile: undefined };
    const none = { functionProblem: undefined, ...noUsers };
    const tried = isOther
      ? none
      : {
          functionProblem: await tryFunctions(client),
          ...(makesUsers ? await tryUsers(client, instance) : noUsers),
        };
    const owner = isOther ? undefined : await client.get(keysOf(instance).owner);
    return { ...found, ...tried, owner: owner ?? undefined };
  } catch (error) {
    throw unreachableElsewhere({ url, ca }, error);
  } finally {
    client.destroy();
  }
}

/** `standalone`, `cluster` or `sentinel`. Valkey has another name for it, and some say nothing. */
export function modeOf(field: (name: string) => string): string {
  const named = field("redis_mode") || field("server_mode");
  if (named !== "") return named;
  return field("cluster_enabled") === "1" ? "cluster" : "standalone";
}

/**
 * The names of those users who do not get in there with these passwords, or may not do there what
 * every program does first. Rejects as `surveyRedis` does.
 */
export async function refusedUsers(
  { url, ca, instance }: At,
  users: readonly UserWithPassword[],
): Promise<string[]> {
  const names = users.map(async ({ user, password }) => {
    const name = userNameOf(user, sharedPrefix(instance));
    const own = new URL(url);
    [own.username, own.password] = [name, password];
    const client = newClient(own.href, answerWithinMs, answerWithinMs, ca);
    try {
      await connected(client, keysOf(instance).probe);
      return [];
    } catch (error) {
      const isRefused = error instanceof Error && error.message.startsWith("NOPERM");
      if (isRefused || isBadCredential(error)) return [name];
      throw unreachableElsewhere({ url, ca }, error);
    } finally {
      client.destroy();
    }
  });
  return (await Promise.all(names)).flat();
}

async function tryFunctions(client: Client): Promise<string | undefined> {
  const library = `sett_trial_${randomBytes(6).toString("hex")}`;
  const source = `#!lua name=${library}\nredis.register_function('${library}', function() return 1 end)`;
  return await refusal(async () => {
    await client.functionLoad(source);
    await client.functionDelete(library);
  });
}

async function tryUsers(
  client: Client,
  instance: InstanceName,
): Promise<Pick<Surveyed, "userProblem" | "hasUserFile">> {
  // It is off, and has no rights.
  const user = `${sharedPrefix(instance)}trial`;
  const userProblem = await refusal(async () => {
    await client.aclSetUser(user, ["reset", "off"]);
    await client.aclDelUser(user);
    await client.aclUsers();
  });
  const saving = await refusal(async () => void (await client.aclSave()));
  const hasUserFile =
    saving === undefined
      ? true
      : /not configured to use an ACL file/.test(saving)
        ? false
        : undefined;
  return { userProblem, hasUserFile };
}

/** Returns the answer of Redis to what it refused. Rejects where it does not answer. */
async function refusal(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Error && /^[A-Z]+ /.test(error.message)) return error.message;
    throw error;
  }
}

/** TLS 1.3 says the first, and older versions the second. */
const wantsCertificate = /CERTIFICATE_REQUIRED|SSLV3_ALERT_HANDSHAKE_FAILURE/;

type TlsProblem = readonly [code: RegExp, problem: string, hint: string];

const unknownAuthority: TlsProblem = [
  /SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY)|self.signed|issuer/i,
  "no known authority has signed its certificate",
  "Name the file of its authority in sett.yml: `services: { redis: { ca: ./ca.pem } }`.",
];
const otherAuthority: TlsProblem = [
  unknownAuthority[0],
  "the authority of `services.redis.ca` has not signed its certificate",
  "The file must have the authority of that Redis, with each one between: `openssl s_client -showcerts -connect HOST:PORT` shows what it sends.",
];

const tlsProblems: readonly TlsProblem[] = [
  unknownAuthority,
  [
    /CERT_HAS_EXPIRED|expired/i,
    "its certificate has expired",
    "The certificate of that Redis must be renewed.",
  ],
  [
    /CERT_NOT_YET_VALID|not yet valid/i,
    "its certificate is not valid yet",
    "Is the clock of this machine right?",
  ],
  [
    /ALTNAME|altnames/i,
    "its certificate is that of another name",
    "Write in `services.redis.url` a name that the certificate has; `openssl s_client -connect HOST:PORT` shows them.",
  ],
  [
    /SSL_WRONG_VERSION|wrong version number/i,
    "it does not speak TLS there",
    "`redis://` is without TLS; a Redis has another port for TLS.",
  ],
];

function unreachableElsewhere({ url, ca }: Pick<At, "url" | "ca">, cause: unknown): SettError {
  const at = endpointOf(url);
  if (cause instanceof SettError) return cause;
  if (isBadCredential(cause)) {
    return new SettError("redis-unreachable", `Redis at ${at} does not accept the password.`, {
      hint: "`services.redis.secret` names the secret with its password, and `url` may have a user: `rediss://user@host`.",
      cause,
    });
  }
  if (cause instanceof Error && cause.message.startsWith("NOPERM")) {
    return new SettError(
      "redis-unreachable",
      `Redis at ${at} allows too little: ${cause.message}`,
      {
        hint: "`sett up` prepares it as a user who may do everything there: `services.redis.url` may name one.",
        cause,
      },
    );
  }
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (wantsCertificate.test(code)) {
    const message = `Redis at ${at} asks each client for a certificate, and Sett has none.`;
    return new SettError("redis-unreachable", message, {
      hint: "Set `tls-auth-clients optional` there, or `no`: users and their passwords say who a client is.",
      cause,
    });
  }
  const known = tlsProblems.find(([sign]) => sign.test(`${code} ${messageOf(cause)}`));
  if (known !== undefined) {
    const [, problem, hint] =
      ca !== undefined && known === unknownAuthority ? otherAuthority : known;
    return new SettError("redis-unreachable", `Redis at ${at} cannot be trusted: ${problem}.`, {
      hint,
      cause,
    });
  }
  const { message } = unreachable({ url }, cause);
  const hint = url.startsWith("rediss:")
    ? "Is it up, and does it speak TLS there? `services.redis.url` names it; `redis://` is without TLS."
    : "Is it up, and without TLS? `services.redis.url` names it; `rediss://` is with TLS.";
  return new SettError("redis-unreachable", message, { hint, cause });
}
