// The passwords of the users of an instance's Redis, and the URLs that carry them.
import { createHmac } from "node:crypto";
import { accessOf, aclRules } from "../../../lib/blackboard/redis/access.ts";
import type { UserWithPassword } from "../../../lib/blackboard/redis/administration.ts";
import { type RedisUser, userNameOf } from "../../../lib/blackboard/redis/users.ts";
import { AgentName, type InstanceName } from "../../../lib/model/ids.ts";

/**
 * Derives a user's password from the owner's, so that only that one is stored. A program that has
 * one of them learns no other.
 */
export function passwordFor(ownerPassword: string, user: RedisUser): string {
  return createHmac("sha256", ownerPassword).update(userNameOf(user)).digest("hex");
}

const sample: readonly RedisUser[] = [
  { role: "orchestrator" },
  { role: "gateway" },
  { role: "notary" },
  { role: "person" },
  { role: "agent", agent: AgentName.parse("any") },
];

/**
 * The owner's password of an instance whose users others make, from the text that both know. It
 * changes with the rights of users: a user who gets in with what is derived from it has been made
 * as this version lists it.
 */
export function ownerPasswordFrom(text: string, instance: InstanceName): string {
  const rights = sample.map((user) => aclRules(accessOf(user, instance)));
  return createHmac("sha256", text)
    .update(JSON.stringify([instance, rights]))
    .digest("hex");
}

type Named = { name: AgentName };

/** `userPrefix`: what is before the names of the instance's users there. */
export type RedisAddress = {
  host: string;
  port: number;
  ownerPassword: string;
  userPrefix?: string;
};

export function ownerUrlOf({ host, port, ownerPassword }: RedisAddress): string {
  return `redis://:${encodeURIComponent(ownerPassword)}@${host}:${port}`;
}

export function urlFor(address: RedisAddress, user: RedisUser): string {
  const { host, port, ownerPassword, userPrefix } = address;
  return `redis://${userNameOf(user, userPrefix)}:${passwordFor(ownerPassword, user)}@${host}:${port}`;
}

/** All people act through the command line, and have one user together. */
export function redisUsersOf(
  { agents, external }: { agents: readonly Named[]; external: readonly Named[] },
  services: readonly ("gateway" | "notary")[],
  ownerPassword: string,
): UserWithPassword[] {
  const users: RedisUser[] = [
    { role: "orchestrator" },
    ...services.map((role) => ({ role })),
    { role: "person" },
    ...[...agents, ...external].map(({ name }) => ({ role: "agent", agent: name }) as const),
  ];
  return users.map((user) => ({ user, password: passwordFor(ownerPassword, user) }));
}
