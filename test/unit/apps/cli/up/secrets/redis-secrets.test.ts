// The values of the secrets that `services.redis` names.
import { expect, test } from "bun:test";
import { redisSecretsOf } from "../../../../../../apps/cli/up/secrets/redis-secrets.ts";

const read = (users: string) =>
  redisSecretsOf({ secret: "word", users: "users" }, (name) =>
    Buffer.from(name === "word" ? "of operations\n" : users),
  );

test("a text from which passwords come has 32 characters or more, without its line break", () => {
  const good = "0123456789abcdef0123456789abcdef";
  expect(read(`${good}\n`)).toEqual({ password: "of operations", users: good });
  expect(() => read(`${good.slice(1)}\n`)).toThrow(/at least 32 characters, and this has 31/);
});
