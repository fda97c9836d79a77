// The address by which `sett` itself reaches a Redis that is there already.
import { expect, test } from "bun:test";
import { readElsewhere } from "../../../../../../apps/cli/up/secrets/read-elsewhere.ts";

const reach = (url: string, password?: string) =>
  readElsewhere({ services: { redis: { url } } } as never, { password, users: undefined });

test.each([
  ["redis://host.docker.internal:6390", "redis://127.0.0.1:6390"],
  ["redis://ada@host.docker.internal", "redis://ada@127.0.0.1"],
  ["rediss://host.docker.internal:6390", "rediss://host.docker.internal:6390"],
  ["rediss://[::1]:6390", "rediss://[::1]:6390"],
])("%s is %s on this machine", async (written, own) => {
  const found = await reach(written);
  expect(found?.url).toBe(own);
  expect(found?.shown).toStartWith(new URL(written).hostname);
});

test("the password of a secret is in the address, whatever its characters are", async () => {
  const found = await reach("rediss://ada@redis.example.org", "a/b@c:d é");
  const { username, password } = new URL(found?.url ?? "");
  expect([username, decodeURIComponent(password)]).toEqual(["ada", "a/b@c:d é"]);
  expect(found?.shown).toBe("redis.example.org:6379");
});
