// Looks at a Redis that Sett did not start: what it is, and what its user may do there. It leaves
// nothing behind.
import { randomBytes } from "node:crypto";
import { messageOf, SettError } from "../../model/errors.ts";
import type { InstanceName } from "../../model/ids.ts";
import { keysOf } from "../records/keys.ts";
import { type Client, endpointOf, isBadCredential, newClient, unreachable } from "./client.ts";
import { sharedPrefix } from "./users.ts";

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

const answerWithinMs = 3_000;

export type At = { url: string; ca: string | undefined; instance: InstanceName };

/** Rejects with `redis-unreachable`, in a sentence that names the cause. */
export async function surveyRedis({ url, ca, instance }: At): Promise<Surveyed> {
  const client = newClient(url, answerWithinMs, answerWithinMs, ca);
  try {
    await client.connect();
    const info = await client.info();
    const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, "m").exec(info)?.[1] ?? "";
    const found = {
      version: field("redis_version"),
      mode: field("redis_mode"),
      isReplica: field("role") !== "master",
      policy: field("maxmemory_policy"),
      isAppendOnly: field("aof_enabled") === "1",
    };
    // Each of these would be refused for that reason alone.
    const isOther =
      found.isReplica || found.mode !== "standalone" || /^[0-6]\./.test(found.version);
    const none = { functionProblem: undefined, userProblem: undefined, hasUserFile: undefined };
    const tried = isOther ? none : await tryRights(client, instance);
    const owner = isOther ? undefined : await client.get(keysOf(instance).owner);
    return { ...found, ...tried, owner: owner ?? undefined };
  } catch (error) {
    throw unreachableElsewhere(url, error);
  } finally {
    client.destroy();
  }
}

type Tried = Pick<Surveyed, "functionProblem" | "userProblem" | "hasUserFile">;

async function tryRights(client: Client, instance: InstanceName): Promise<Tried> {
  const library = `sett_trial_${randomBytes(6).toString("hex")}`;
  const source = `#!lua name=${library}\nredis.register_function('${library}', function() return 1 end)`;
  const functionProblem = await refusal(async () => {
    await client.functionLoad(source);
    await client.functionDelete(library);
  });
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
  return { functionProblem, userProblem, hasUserFile };
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

const tlsProblems: readonly [code: RegExp, problem: string, hint: string][] = [
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY)|self.signed|issuer/i,
    "no known authority has signed its certificate",
    "Name the file of its authority in sett.yml: `services: { redis: { ca: ./ca.pem } }`.",
  ],
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

function unreachableElsewhere(url: string, cause: unknown): SettError {
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
  const known = tlsProblems.find(([sign]) => sign.test(`${code} ${messageOf(cause)}`));
  if (known !== undefined) {
    const [, problem, hint] = known;
    return new SettError("redis-unreachable", `Redis at ${at} cannot be trusted: ${problem}.`, {
      hint,
      cause,
    });
  }
  const { message } = unreachable(url, cause);
  const hint = url.startsWith("rediss:")
    ? "Is it up, and does it speak TLS there? `services.redis.url` names it; `redis://` is without TLS."
    : "Is it up, and without TLS? `services.redis.url` names it; `rediss://` is with TLS.";
  return new SettError("redis-unreachable", message, { hint, cause });
}
