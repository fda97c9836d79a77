// Values of secrets: from files, variables and commands, and what is refused.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSecrets } from "../../../../../../apps/cli/up/secrets/read-secrets.ts";
import { parseConfig } from "../../../../../../lib/config/parse-config.ts";
import { errorOf } from "../../../../../support/error-of.ts";
import { isAlive } from "../../../../../support/process/tools.ts";
import { waitFor } from "../../../../../support/wait-for.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-read-secrets-"));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

type Over = { signal?: AbortSignal; onSlow?: (sentence: string) => void; aloneMs?: number };

async function read(secrets: string, names: string, over: Over = {}) {
  const agents = `  a: { image: "b:1", command: [run], secrets: [${names}] }\n  b: { image: "b:1", command: [run] }\n`;
  const env = { TOKEN: "token-of-the-host", EMPTY: "", SHORT: "short", PATH: process.env.PATH };
  const { config } = parseConfig({
    text: `version: '1.0'\nsecrets: ${secrets}\nagents:\n${agents}`,
    file: "sett.yml",
    folder,
    host: env,
  });
  if (config === undefined) throw new Error("The configuration has mistakes.");
  const { agents: values } = await readSecrets(config, {
    folder,
    env,
    signal: new AbortController().signal,
    ...over,
  });
  const text = (value = "") => Buffer.from(value, "base64").toString();
  return Object.fromEntries(
    Object.entries(values).map(([agent, own]) => [
      agent,
      Object.fromEntries(Object.entries(own).map(([name, value]) => [name, text(value)])),
    ]),
  );
}

test("a file is as it is, a variable too, and a command's output has no newline at its end", async () => {
  await writeFile(join(folder, "file"), "of a file\n");
  const secrets =
    '{ file: { file: ./file }, env: { environment: TOKEN }, out: { command: [sh, -c, "pwd; echo printed"] } }';
  expect(await read(secrets, "file, env, out")).toEqual({
    a: { file: "of a file\n", env: "token-of-the-host", out: `${folder}\nprinted` },
  });
});

test("one of a cluster is refused elsewhere, with the ways that are there", async () => {
  const secrets = "{ one: { kubernetes: { name: npm, key: token } } }";
  await expect(read(secrets, "one")).rejects.toMatchObject({
    code: "config-invalid",
    message: "The secret one cannot be read: it is in the Secret npm of a cluster.",
    hint: expect.stringContaining("sett up --runtime kubernetes"),
  });
});

test("one that no agent names is not read", async () => {
  expect(await read("{ one: { file: ./absent }, two: { command: [absent] } }", "")).toEqual({});
});

test.each([
  ["{ one: { file: ./absent } }", "The secret one cannot be read: its file cannot be read: ENOENT"],
  [
    "{ one: { environment: EMPTY } }",
    "The secret one cannot be read: the variable EMPTY has no value.",
  ],
  [
    "{ one: { environment: SHORT } }",
    "The secret one cannot be read: the variable SHORT has a value of 5 bytes.",
  ],
  [
    "{ one: { command: [sh, -c, 'echo a-secret; exit 3'] } }",
    "The secret one cannot be read: its command sh ended with exit code 3.",
  ],
  [
    "{ one: { command: [no-such-program] } }",
    "The secret one cannot be read: its command cannot be started: Executable not found",
  ],
  ["{ one: { command: [yes] } }", "has a value of more than 65536 bytes"],
  ["{ one: { file: /dev/zero } }", "has a value of more than 65536 bytes"],
  ["{ one: { file: /dev } }", "its file cannot be read: EISDIR"],
  ["{ one: { command: [head, -c, '65537', /dev/zero] } }", "has a value of more than 65536 bytes"],
])("%s is refused, without its value", async (secrets, message) => {
  const error = await errorOf(read(secrets, "one"));
  expect(error).toMatchObject({ code: "config-invalid" });
  expect(String(error)).toContain(message);
  expect(String(error)).not.toContain("a-secret");
});

test("a value that agents write without knowing it is named by its kind, and not shown", async () => {
  const text =
    "version: '1.0'\nsecrets: { door: { environment: DOOR }, key: { environment: KEY } }\n" +
    'agents: { a: { image: "b:1", command: [run], secrets: [door, key] }, b: { image: "b:1", command: [run], secrets: [door] } }\n';
  const host = { DOOR: "Standard\n", KEY: "f7c1-90ab-22" };
  const { config } = parseConfig({ text, file: "sett.yml", folder, host });
  if (config === undefined) throw new Error("The configuration has mistakes.");
  const { warnings } = await readSecrets(config, {
    folder,
    env: host,
    signal: new AbortController().signal,
  });
  expect(warnings).toEqual([
    expect.stringContaining(
      "The value of the secret door is a word of the contract between Sett and commands.",
    ),
  ]);
  expect(warnings.join()).not.toContain("Standard");
});

test("Ctrl+C ends a command that waits", async () => {
  const stop = new AbortController();
  const command = "touch begun; exec sleep 60";
  const reading = errorOf(
    read(`{ one: { command: [sh, -c, "${command}"] } }`, "one", { signal: stop.signal }),
  );
  await waitFor("the command", () => existsSync(join(folder, "begun")));
  stop.abort();
  expect(await reading).toMatchObject({ code: "interrupted" });
});

test("of a token of the API only the digest goes on, and a line break at its end does not count", async () => {
  const token = "0123456789abcdef0123456789abcdef";
  await writeFile(join(folder, "token"), `${token}\n`);
  const { config } = parsedWithToken("{ file: ./token }");
  const read = await readSecrets(config, { folder, env: {}, signal: new AbortController().signal });
  expect(read).toEqual({
    agents: {},
    hooks: {},
    forges: undefined,
    redis: { password: undefined, users: undefined },
    warnings: [],
    tokens: [
      {
        name: "ci",
        sha256: createHash("sha256").update(token).digest("hex"),
        may: ["read", "forage"],
      },
    ],
  });
});

test.each([
  ["a short one", "too-short-for-a-token", "needs at least 32 characters, and this one has 21"],
  [
    "one with a space",
    "0123456789abcdef 0123456789abcdef",
    "has only letters, digits and signs of ASCII",
  ],
])("%s is refused as a token, without a part of its value", async (_, token, reason) => {
  await writeFile(join(folder, "token"), token);
  const { config } = parsedWithToken("{ file: ./token }");
  const reading = readSecrets(config, { folder, env: {}, signal: new AbortController().signal });
  const error = await errorOf(reading);
  expect(error).toMatchObject({ code: "config-invalid", message: expect.stringContaining(reason) });
  expect(`${error}`).not.toContain(token);
});

const hookOf = (secret: string) =>
  `secrets: { t: { environment: TOKEN }, h: ${secret} }\n` +
  "services: { api: { tokens: [{ name: ci, secret: t, may: [read] }] } }\n" +
  "triggers: { pr: { webhook: { forge: gitlab, secret: h, events: [push] }, goal: Build } }\n";

async function readHook(value: string) {
  const host = { TOKEN: "0123456789abcdef0123456789abcdef", HOOK: value };
  const text = `version: '1.0'\nagents: { a: { image: "b:1", command: [run] } }\n${hookOf("{ environment: HOOK }")}`;
  const { config } = parseConfig({ text, file: "sett.yml", folder, host });
  if (config === undefined) throw new Error("The configuration has mistakes.");
  return await readSecrets(config, { folder, env: host, signal: new AbortController().signal });
}

test("the secret of a webhook goes on as it is, for the API alone", async () => {
  const read = await readHook("a secret of 16 or more");
  expect(read.hooks).toEqual({ h: Buffer.from("a secret of 16 or more").toString("base64") });
  expect(read.agents).toEqual({});
});

test.each([
  ["a short one", "fifteen letters", "needs at least 16 characters, and this one has 15"],
  ["a signing token that is damaged", "whsec_not base64 at all", "is not base64"],
])("%s is refused for a webhook, without a part of its value", async (_, value, reason) => {
  const error = await errorOf(readHook(value));
  expect(error).toMatchObject({ code: "config-invalid", message: expect.stringContaining(reason) });
  expect(`${error}`).not.toContain(value);
});

function parsedWithToken(source: string) {
  const { config } = parseConfig({
    text: `version: '1.0'\nsecrets: { t: ${source} }\nagents: { a: { image: "b:1", command: [run] } }\nservices: { api: { tokens: [{ name: ci, secret: t, may: [read, forage] }] } }\n`,
    file: "sett.yml",
    folder,
    host: {},
  });
  if (config === undefined) throw new Error("The configuration has mistakes.");
  return { config };
}

test("a command that takes its time is named while it is waited for, and its value is read all the same", async () => {
  const said: string[] = [];
  const onSlow = (sentence: string) => {
    said.push(sentence);
    writeFileSync(join(folder, "go"), "");
  };
  const command = "until [ -e go ]; do sleep 0.1; done; echo printed-late";
  const values = await read(`{ t: { command: [sh, -c, "${command}"] } }`, "t", { onSlow });
  expect(said).toEqual(["Waiting for the command of the secret t: sh."]);
  expect(values).toEqual({ a: { t: "printed-late" } });
});

test("a pipe into which nothing has been written yet is named, and read once it is", async () => {
  const pipe = join(folder, "pipe");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  const said: string[] = [];
  const onSlow = (sentence: string) => {
    said.push(sentence);
    Bun.spawn(["sh", "-c", 'echo "written late" > "$1"', "sh", pipe]);
  };
  const values = await read("{ t: { file: ./pipe } }", "t", { onSlow });
  expect(said).toEqual([`Waiting for the file of the secret t: ${pipe}.`]);
  expect(values).toEqual({ a: { t: "written late\n" } });
});

test("Ctrl+C ends the waiting for a pipe", async () => {
  const pipe = join(folder, "silent");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  const stop = new AbortController();
  const reading = errorOf(read("{ t: { file: ./silent } }", "t", { signal: stop.signal }));
  stop.abort();
  expect(await reading).toMatchObject({ code: "interrupted" });
});

test("where no person watches, a command is ended after a while, with all that holds its output", async () => {
  const command = "sleep 1000 & echo $! > waits; wait";
  const error = await errorOf(
    read(`{ t: { command: [sh, -c, "${command}"] } }`, "t", { aloneMs: 5_000 }),
  );
  expect([error.code, error.message, error.hint]).toEqual([
    "config-invalid",
    "The secret t cannot be read: its command sh gave nothing within 5 s.",
    "No person can answer it here. Unlock the password manager, or run `sett up` by hand.",
  ]);
  const pid = Number(await Bun.file(join(folder, "waits")).text());
  await waitFor("the end of what it has started", async () => !(await isAlive(pid)));
});

test("where no person watches, a command has no terminal and nothing to read, and a pipe is left after a while", async () => {
  const command = "cat; test -t 0 || echo no-terminal; true < /dev/tty || echo none-at-all";
  expect(
    await read(`{ t: { command: [sh, -c, "${command}"] } }`, "t", { aloneMs: 60_000 }),
  ).toEqual({
    a: { t: "no-terminal\nnone-at-all" },
  });
  expect(Bun.spawnSync(["mkfifo", join(folder, "quiet")]).exitCode).toBe(0);
  const error = await errorOf(read("{ t: { file: ./quiet } }", "t", { aloneMs: 100 }));
  expect(error.message).toBe("The secret t cannot be read: its file gave nothing within 0.1 s.");
  // Its reader waits for a writer until the program ends.
  expect(Bun.spawnSync(["sh", "-c", ": > quiet"], { cwd: folder }).exitCode).toBe(0);
});
