// How the owner of an instance makes and removes the users of its Redis, also while Redis is at
// work. Redis keeps them in its ACL file.
import { createHash } from "node:crypto";
import type { InstanceName } from "../../model/ids.ts";
import { accessOf, aclRules } from "./access.ts";
import type { Client } from "./client.ts";
import { Connection } from "./connection.ts";
import { requireFunctions } from "./function-library.ts";
import { isUserName, type RedisUser, userNameOf } from "./users.ts";

/**
 * `url`: as a user who may do anything, Redis' own `default`. `giveUpMs`: how long to wait for a
 * Redis that starts, unless the signal aborts.
 */
export type Owner = {
  url: string;
  instance: InstanceName;
  giveUpMs?: number;
  signal?: AbortSignal;
};

export type UserWithPassword = { user: RedisUser; password: string };

const answerWithinMs = 3_000;

/**
 * Loads the functions, and gives each user its password and exactly its rights. Rejects as
 * `connectBlackboard` does.
 */
export async function prepareUsers(
  owner: Owner,
  users: readonly UserWithPassword[],
): Promise<void> {
  await asOwner(owner, async (client) => {
    await requireFunctions(client);
    for (const { user, password } of users) {
      const rules = aclRules(accessOf(user, owner.instance));
      // One command, so that a user at work is never without rights. Redis keeps no password, only
      // its digest.
      await client.aclSetUser(userNameOf(user), [
        "reset",
        "on",
        `#${digestOf(password)}`,
        ...rules,
      ]);
    }
    await client.aclSave();
  });
}

/** Removes the users of parts that are gone; Redis ends their connections. */
export async function removeOtherUsers(
  owner: Owner,
  kept: readonly UserWithPassword[],
): Promise<void> {
  const names = new Set(kept.map(({ user }) => userNameOf(user)));
  await asOwner(owner, async (client) => {
    const surplus = (await client.aclUsers()).filter(
      (name) => isUserName(name) && !names.has(name),
    );
    if (surplus.length === 0) return;
    await client.aclDelUser(surplus);
    await client.aclSave();
  });
}

/** `work` must be safe to repeat. */
async function asOwner(
  { url, giveUpMs, signal }: Owner,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const connection = await Connection.open({
    url,
    timeoutMs: answerWithinMs,
    giveUpMs,
    signal,
    onLost: () => {},
  });
  await connection.run(work).finally(() => connection.close());
}

function digestOf(password: string): string {
  return createHash("sha256").update(password).digest("hex");
}
