// Lists the users of an instance whose Redis is elsewhere, for the operators of that Redis.
import { createHash } from "node:crypto";
import { dirname, resolve } from "node:path";
import { accessOf, aclRules, preparingRules } from "../../../lib/blackboard/redis/access.ts";
import { sharedPrefix, userNameOf } from "../../../lib/blackboard/redis/users.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { lacksConfig } from "../program/config-path.ts";
import { invalidSecret, readSource } from "../program/secret-source.ts";
import { rolesOf } from "../services/notary.ts";
import { ownerPasswordFrom, redisUsersOf } from "../services/redis-users.ts";
import type { Shell } from "../terminal/shell.ts";
import { readOrder } from "./order.ts";
import { redisSecretsOf } from "./secrets/redis-secrets.ts";

type Arguments = Parameters<typeof readOrder>[0] & { json: boolean };

/** Makes nothing. Throws `usage`, `config-invalid` and what reading the configuration throws. */
export async function printUsers(args: Arguments, shell: Shell): Promise<undefined> {
  if (await lacksConfig(shell.cwd, args.file))
    throw new SettError("usage", "There is no sett.yml, which says what users there are.");
  const { config, file, instance } = await readOrder(args, shell);
  const text = await readText(config, file, shell);
  const users = redisUsersOf(config, rolesOf(config), ownerPasswordFrom(text, instance)).map(
    ({ user, password }) => ({
      name: userNameOf(user, sharedPrefix(instance)),
      password,
      rules: aclRules(accessOf(user, instance)),
    }),
  );
  if (args.json) await shell.out.write(`${JSON.stringify(users, undefined, 2)}\n`);
  else await shell.out.write(users.map(commandFor).join(""));
  shell.messages.note(
    `The user of \`services.redis.url\` itself needs these rights, and no others: ${preparingRules(instance).join(" ")}`,
  );
  return undefined;
}

/** A line for `redis-cli`. It has the digest of the password alone, and replaces such a user. */
function commandFor({
  name,
  password,
  rules,
}: {
  name: string;
  password: string;
  rules: string[];
}) {
  const digest = createHash("sha256").update(password).digest("hex");
  const words = ["reset", "on", `#${digest}`, ...rules].map((word) =>
    word.includes(" ") ? `"${word}"` : word,
  );
  return `ACL SETUSER ${name} ${words.join(" ")}\n`;
}

async function readText(
  { services: { redis }, secrets }: SettConfig,
  file: string,
  { cwd, env, interrupted: signal, messages }: Shell,
): Promise<string> {
  if (redis.url === undefined) {
    throw new SettError("usage", "The instance has a Redis of its own, whose users sett makes.", {
      hint: "`services.redis.url` names another one: docs/guides/elsewhere.md.",
    });
  }
  const { users } = redis;
  const source = users === undefined ? undefined : secrets[users];
  if (users === undefined || source === undefined) {
    throw new SettError("usage", "sett.yml does not say where passwords of users come from.", {
      hint: "Name a secret of 32 or more random characters: `services: { redis: { users: redis-users } }`.",
    });
  }
  const machine = { folder: dirname(resolve(cwd, file)), env, signal, onSlow: messages.note };
  const { value, from } = await readSource(users, source, machine);
  const read = redisSecretsOf({ users }, () => value).users;
  if (read === undefined || read === "")
    throw invalidSecret(users, `${from} has no value`, "Put the value there.");
  return read;
}
