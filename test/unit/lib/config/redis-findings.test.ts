// `services.redis` of sett.yml with a `url`: what is accepted, a mistake, or warned of.
import { expect, test } from "bun:test";
import { parseConfig } from "../../../../lib/config/parse-config.ts";

function parsed(redis: string, secrets = "{}") {
  const agents =
    "agents: { a: { image: some/image:1, command: [run], bids: [{ on: X, bid: claim }] } }";
  const text = `version: '1.0'\nsecrets: ${secrets}\nservices: { redis: ${redis} }\n${agents}\n`;
  const host = { HOME: "/home/ada" };
  const found = parseConfig({ text, file: "sett.yml", folder: "/work", host });
  const sentences = (problems: typeof found.mistakes) =>
    problems.map(({ path, sentence }) => `${path}: ${sentence}`);
  const { config, mistakes, warnings, missing } = found;
  return {
    redis: config?.services.redis,
    mistakes: sentences(mistakes),
    warnings: sentences(warnings),
    missing: sentences(missing),
  };
}

test("a Redis that is there already has an address, an authority and a password from a secret", () => {
  const { redis, ...problems } = parsed(
    '{ url: "rediss://ops@redis.example.org:6380", ca: ./ca.pem, secret: redis }',
    "{ redis: { file: ~/redis } }",
  );
  expect(problems).toEqual({ mistakes: [], warnings: [], missing: [] });
  expect(redis).toMatchObject({
    url: "rediss://ops@redis.example.org:6380",
    ca: "/work/ca.pem",
    secret: "redis",
  });
});

test.each(["rediss://[2001:db8::1]:6380", "rediss://[::1]", "redis://localhost", "rediss://r/"])(
  "%s is an address",
  (url) => {
    expect(parsed(`{ url: "${url}" }`)).toMatchObject({ mistakes: [], warnings: [] });
  },
);

test.each([
  "redis.example.org:6380",
  "https://redis.example.org",
  "rediss://",
  "rediss://r:0",
  "rediss://r:70000",
  "rediss://r/1",
  "rediss://r?ssl=1",
  "rediss://2001:db8::1:6380",
  "",
])("%p is none", (url) => {
  expect(parsed(`{ url: "${url}" }`).mistakes).toEqual([
    "services.redis.url: must be an address such as `rediss://redis.example.org:6380`, with no path: the first database of that Redis has the blackboard",
  ]);
});

test("what is about an own Redis is a mistake beside `url`, and what is about another one without it", () => {
  expect(parsed("{ url: rediss://r, image: a/b:1, resources: {} }").mistakes).toEqual([
    "services.redis.image: is about a Redis of the instance's own: remove it, or remove `url`",
    "services.redis.resources: is about a Redis of the instance's own: remove it, or remove `url`",
  ]);
  const withoutUrl = "{ ca: ./ca.pem, secret: one, users: two }";
  const secrets = "{ one: { file: one }, two: { file: two } }";
  expect(parsed(withoutUrl, secrets).mistakes).toEqual([
    "services.redis.ca: needs `url`: without it the instance has a Redis of its own",
    "services.redis.secret: needs `url`: without it the instance has a Redis of its own",
    "services.redis.users: needs `url`: without it the instance has a Redis of its own",
  ]);
  expect(parsed("{ url: redis://localhost, ca: ./ca.pem }").mistakes).toEqual([
    "services.redis.ca: needs `rediss://`: `redis://` does not encrypt",
  ]);
});

test("a secret must be there, and is the only password", () => {
  expect(parsed("{ url: rediss://r, secret: two }", "{ one: { file: one } }").mistakes).toEqual([
    "services.redis.secret: `secrets` has no `two`: known are `one`",
  ]);
  expect(parsed("{ url: rediss://r, users: two }", "{ one: { file: one } }").mistakes).toEqual([
    "services.redis.users: `secrets` has no `two`: known are `one`",
  ]);
  expect(
    parsed("{ url: rediss://r, secret: one, users: one }", "{ one: { file: one } }").mistakes,
  ).toEqual(["services.redis.users: is the secret of `secret`: name another one"]);
  expect(
    parsed("{ url: rediss://:word@r, secret: one }", "{ one: { file: one } }").mistakes,
  ).toEqual(["services.redis.secret: is a second password: remove the one in `url`"]);
  expect(
    parsed("{ url: rediss://r, secret: one }", "{ one: { environment: REDIS_WORD } }").missing,
  ).toEqual([
    "secrets.one.environment: needs the variable `REDIS_WORD`, which is not set on this machine",
  ]);
});

test("a password in the file, and an address that does not encrypt, are warned of", () => {
  expect(parsed("{ url: redis://:word@redis.example.org }").warnings).toEqual([
    "services.redis.url: has a password, which everyone reads who has this file, agents too: name it in `secrets`, and here as `secret`",
    "services.redis.url: does not encrypt: others on the way read the blackboard and passwords. Use `rediss://`, unless that network is yours alone",
  ]);
});
