// How the owner of an instance makes and removes the users of its Redis, also while Redis is at
// work. Redis keeps them in its ACL file.
import { createHash } from "node:crypto";
import type { AgentName, InstanceName } from "../../model/ids.ts";
import { keysOf } from "../records/keys.ts";
import { accessOf, aclRules } from "./access.ts";
import type { Client } from "./client.ts";
import { Connection } from "./connection.ts";
import { requireFunctions } from "./function-library.ts";
import { isUserName, type RedisUser, sharedPrefix, userNameOf } from "./users.ts";

/**
 * `url`: as a user who may do anything, Redis' own `default`. `ca`: certificates in PEM that sign
 * that of the server. `isShared`: others use this Redis, too. `giveUpMs`: how long to wait for a
 * Redis that starts or says nothing, unless the signal aborts.
 */
export type Owner = {
  url: string;
  ca?: string | undefined;
  instance: InstanceName;
  isShared?: boolean;
  giveUpMs?: number;
  signal?: AbortSignal;
};

/** `keepsUsers`: others make the instance's users there, and remove them. */
export type SharedOwner = Omit<Owner, "isShared"> & { keepsUsers?: boolean };

export type UserWithPassword = { user: RedisUser; password: string };

const answerWithinMs = 3_000;

/**
 * Loads the functions, and gives each user its password and its rights. One that is there keeps
 * those that it has beside them until `settleUsers`: parts of another version may still be at work.
 * Rejects as `connectBlackboard` does.
 */
export async function prepareUsers(
  owner: Owner,
  users: readonly UserWithPassword[],
): Promise<void> {
  await asOwner(owner, async (client) => {
    await requireFunctions(client);
    const before = new Set(await client.aclUsers());
    const isThere = (one: RedisUser) => before.has(userNameOf(one, prefixFor(owner)));
    for (const each of users) await setUser(client, owner, each, !isThere(each.user));
    await saveUsers(client, owner);
  });
}

/** One command, so that a user at work is never without rights. */
async function setUser(
  client: Client,
  owner: Owner,
  { user, password }: UserWithPassword,
  isExact: boolean,
): Promise<void> {
  const rules = aclRules(accessOf(user, owner.instance));
  const name = userNameOf(user, prefixFor(owner));
  const known = isExact ? undefined : await selectorsOf(client, name);
  // Redis keeps no password, only its digest.
  await client.aclSetUser(name, [
    ...(isExact ? ["reset"] : ["resetpass"]),
    "on",
    `#${digestOf(password)}`,
    ...rules.filter(
      (rule) => known === undefined || (rule !== "resetchannels" && !known.has(rule)),
    ),
  ]);
}

/** They are words of `ACL SETUSER`. Redis adds one again that a user has already. */
async function selectorsOf(client: Client, name: string): Promise<ReadonlySet<string>> {
  const selectors = (await client.aclGetUser(name))?.selectors ?? [];
  const words = selectors.map(({ commands, keys }) => `${keys} ${commands.replace("-@all ", "")}`);
  return new Set(words.map((word) => `(${word})`));
}

/** The same where others have made the users. */
export async function prepareFunctions(owner: Owner): Promise<void> {
  await asOwner(owner, requireFunctions);
}

/**
 * Once no part of another version is left: each user has exactly its rights, and those of parts
 * that are gone are removed. Redis ends their connections. `atWork`: agents with a worker of
 * another version, whose users are settled at the next time.
 */
export async function settleUsers(
  owner: Owner,
  kept: readonly UserWithPassword[],
  atWork: ReadonlySet<AgentName> = new Set(),
): Promise<void> {
  const prefix = prefixFor(owner);
  const names = new Set(kept.map(({ user }) => userNameOf(user, prefix)));
  await asOwner(owner, async (client) => {
    for (const each of kept) {
      const { user } = each;
      if (user.role !== "agent" || !atWork.has(user.agent))
        await setUser(client, owner, each, true);
    }
    const surplus = (await client.aclUsers()).filter(
      (name) => isUserName(name, prefix) && !names.has(name),
    );
    if (surplus.length > 0) await client.aclDelUser(surplus);
    await saveUsers(client, owner);
  });
}

/**
 * Notes that the blackboard of this name belongs to the sett with this id. `new`: there was none.
 */
export async function takeShared(
  owner: SharedOwner,
  id: string,
): Promise<"new" | "own" | "another's"> {
  const keys = keysOf(owner.instance);
  let taken: "new" | "own" | "another's" = "own";
  await asOwner(owner, async (client) => {
    const isEmpty = (await client.exists(keys.events)) === 0;
    const before = (await client.set(keys.owner, id, { condition: "NX", GET: true })) ?? id;
    if (before !== id) taken = "another's";
    else if (isEmpty) taken = "new";
  });
  return taken;
}

/** True where the blackboard of this name belongs to the sett with this id. */
export async function holdsShared(owner: SharedOwner, id: string): Promise<boolean> {
  let holder: string | null = null;
  await asOwner(owner, async (client) => {
    holder = await client.get(keysOf(owner.instance).owner);
  });
  return holder === id;
}

/**
 * Removes every key of the instance and its users, where they belong to the sett with this id: what
 * others have there stays. Whose they are is removed last, so that it can be done again.
 */
export async function removeFromShared(owner: SharedOwner, id: string): Promise<void> {
  if (!(await holdsShared(owner, id))) return;
  const keys = keysOf(owner.instance);
  if (owner.keepsUsers !== true) await settleUsers({ ...owner, isShared: true }, []);
  await asOwner(owner, async (client) => {
    let cursor = "0";
    do {
      const found = await client.scan(cursor, { MATCH: `${keys.prefix}*`, COUNT: 1_000 });
      const others = found.keys.filter((key) => key !== keys.owner);
      if (others.length > 0) await client.unlink(others);
      cursor = found.cursor;
    } while (cursor !== "0");
    await client.unlink(keys.owner);
  });
}

function prefixFor({ isShared, instance }: Owner): string {
  return isShared === true ? sharedPrefix(instance) : "";
}

/** A Redis of others may have no file for its users, which `sett up` says when it looks. */
async function saveUsers(client: Client, { isShared }: Owner): Promise<void> {
  const saved = client.aclSave();
  await (isShared === true ? saved.catch(unlessWithoutFile) : saved);
}

function unlessWithoutFile(error: unknown): void {
  if (!(error instanceof Error && /not configured to use an ACL file/.test(error.message)))
    throw error;
}

/** `work` must be safe to repeat. */
async function asOwner(
  { url, ca, instance, giveUpMs, signal }: Owner,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const connection = await Connection.open({
    url,
    ca,
    probeKey: keysOf(instance).probe,
    timeoutMs: answerWithinMs,
    giveUpMs,
    repeat: giveUpMs === undefined ? undefined : { forMs: giveUpMs, signal },
    signal,
    onLost: () => {},
  });
  await connection.run(work).finally(() => connection.close());
}

function digestOf(password: string): string {
  return createHash("sha256").update(password).digest("hex");
}
