import { expect, test } from "bun:test";
import { readConfig } from "../../../../lib/config/read-config.ts";
import { NoticeKind } from "../../../../lib/model/notify.ts";
import { configFolder, mistakesIn, validText } from "../../../support/config/config-file.ts";

const secret = "a secret of some length";
const host = { SETT_HOOK_SECRET: secret, HOOK_HOST: "example.org", SHORT: "s3cret" };

async function hooksOf(lines: string) {
  await using made = await configFolder({ "sett.yml": validText + lines });
  return (await readConfig(made.path, host)).config.notify;
}

test("a hook gets every kind of message, and a reminder once a day, unless it says otherwise", async () => {
  expect(await hooksOf("")).toEqual([]);
  const [plain, choosy] = await hooksOf(`notify:
  - url: https://\${HOOK_HOST}/hook
    secret: \${SETT_HOOK_SECRET}
  - url: http://127.0.0.1:8080
    secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
    on: [question, failed]
    remind_every: 4h
`);
  const url = "https://example.org/hook";
  expect(plain).toEqual({ url, secret, on: [...NoticeKind.options], remind_every_ms: 86_400_000 });
  expect(choosy).toMatchObject({ on: ["question", "failed"], remind_every_ms: 14_400_000 });
});

test("a variable that is missing is named with its line, also where another part is wrong", async () => {
  expect(
    await mistakesIn(
      `${validText}notify:\n  - { url: "https://\${NOPE}/", secret: $NADA, on: [all] }\n`,
      host,
    ),
  ).toEqual([
    "sett.yml:7:12 notify[0].url: needs the variable `NOPE`, which is not set on this machine",
    "sett.yml:7:40 notify[0].secret: needs the variable `NADA`, which is not set on this machine",
    "sett.yml:7:52 notify[0].on[0]: must be `question`, `approval`, `achieved`, `settled`, `failed`, `stalled`, `cancelled` or `budget`, not `all`",
  ]);
});

test("what cannot be posted to is refused", async () => {
  const lines = [
    "ftp://example.org",
    "example.org/hook",
    "https://ada:pw@example.org",
    "https://a.org",
    "https://a.org",
  ];
  const entries = lines.map((url) => `  - { url: "${url}", secret: $SETT_HOOK_SECRET }\n`).join("");
  expect(await mistakesIn(`${validText}notify:\n${entries}`, host)).toEqual([
    "sett.yml:7:12 notify[0].url: must be an address such as `https://example.org/hook`",
    "sett.yml:8:12 notify[1].url: must be an address such as `https://example.org/hook`",
    "sett.yml:9:12 notify[2].url: must not have a user or a password: the messages are signed instead",
    "sett.yml:11:12 notify[4].url: is here a second time",
  ]);
});

test("a secret that is missing, short, no text or no base64 is refused, and never shown", async () => {
  const secrets = [
    "",
    ", secret: $SHORT",
    ", secret: 1234567890123456789",
    ', secret: "whsec_not base64 at all"',
  ];
  const entries = secrets
    .map((rest, index) => `  - { url: "https://${index}.org"${rest} }\n`)
    .join("");
  const missing = `must be text that only you and the receiver know, best from a variable of this machine: \`$SETT_HOOK_SECRET\``;
  expect(await mistakesIn(`${validText}notify:\n${entries}`, host)).toEqual([
    `sett.yml:7:5 notify[0].secret: ${missing}`,
    "sett.yml:8:37 notify[1].secret: must have at least 16 characters: `openssl rand -hex 32` makes a good one",
    `sett.yml:9:37 notify[2].secret: ${missing}`,
    "sett.yml:10:37 notify[3].secret: must be base64 after `whsec_`",
  ]);
});

test("an unknown key, an empty `on` and reminders by the second are refused", async () => {
  const entry = `{ url: "https://a.org", secret: $SETT_HOOK_SECRET, on: [], remind_every: 30s, method: PUT }`;
  expect(await mistakesIn(`${validText}notify:\n  - ${entry}\n`, host)).toEqual([
    "sett.yml:7:56 notify[0].on: must not be empty: leave it out to be notified of everything",
    "sett.yml:7:78 notify[0].remind_every: must be at least `1m`",
    "sett.yml:7:83 notify[0].method: is unknown here; known are `url`, `secret`, `body`, `page`, `on`, `remind_every`",
  ]);
  expect(await mistakesIn(`${validText}notify: https://a.org\n`, host)).toEqual([
    "sett.yml:6:9 notify: must be a list, not `https://a.org`",
  ]);
});

test("a body of another form needs no secret, and names only values that there are", async () => {
  const [slack, own] = await hooksOf(`notify:
  - { url: "https://hooks.example.org/a", body: slack, page: "https://sett.example.org" }
  - { url: "https://hooks.example.org/b", body: { content: "{{ title }}: {{link}}" } }
`);
  expect(slack).toMatchObject({ body: "slack", page: "https://sett.example.org" });
  expect([slack, own].every((hook) => hook !== undefined && !("secret" in hook))).toBe(true);
  expect(own).toMatchObject({ body: { content: "{{ title }}: {{link}}" } });
  const wrong = (rest: string) =>
    mistakesIn(`${validText}notify:\n  - { url: "https://example.org/h", ${rest} }\n`, host);
  expect(await wrong("on: [failed]")).toEqual([
    expect.stringContaining("notify[0].secret: must be text that only you and the receiver know"),
  ]);
  expect(await wrong('body: { a: ["{{ titel }}"] }')).toEqual([
    expect.stringContaining("notify[0].body: has no value for `{{ titel }}`: known are `title`,"),
  ]);
  expect(await wrong(`body: { token: "\${TOKEN}", message: "\${AGAIN}, costs $5" }`)).toEqual([
    expect.stringContaining(`notify[0].body: would be posted with \`\${TOKEN}\` as it is`),
  ]);
  expect(await wrong("body: teams")).toEqual([
    expect.stringContaining(
      "notify[0].body: must be `sett`, `slack`, `ntfy`, or the JSON to post as a map",
    ),
  ]);
  expect(await topicMistakes("https://ntfy.sh/%zz")).toEqual([
    expect.stringContaining("notify[0].url: must end with the topic of ntfy"),
  ]);
  expect(await topicMistakes("https://ntfy.sh")).toHaveLength(1);
  const [ntfy] = await hooksOf(
    "notify: [{ url: 'https://ntfy.sh/our-setts_1?auth=x', body: ntfy }]\n",
  );
  expect(ntfy).toMatchObject({ body: "ntfy" });
  expect(await wrong("body: slack, page: sett.example.org")).toEqual([
    expect.stringContaining("notify[0].page: must be the address of the page"),
  ]);
});

const topicMistakes = (url: string) =>
  mistakesIn(`${validText}notify:\n  - { url: "${url}", body: ntfy }\n`, host);
