// Values of secrets: from files, variables and commands, and what is refused.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSecrets } from "../../../../../apps/cli/up/read-secrets.ts";
import { parseConfig } from "../../../../../lib/config/parse-config.ts";
import { errorOf } from "../../../../support/error-of.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-read-secrets-"));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

async function read(secrets: string, names: string, signal = new AbortController().signal) {
  const agents = `  a: { image: "b:1", command: [run], secrets: [${names}] }\n  b: { image: "b:1", command: [run] }\n`;
  const env = { TOKEN: "token-of-the-host", EMPTY: "", SHORT: "short", PATH: process.env.PATH };
  const { config } = parseConfig({
    text: `version: '1.0'\nsecrets: ${secrets}\nagents:\n${agents}`,
    file: "sett.yml",
    folder,
    host: env,
  });
  if (config === undefined) throw new Error("The configuration has mistakes.");
  const values = await readSecrets(config, { folder, env, signal });
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
  const secrets = '{ file: { file: ./file }, env: { environment: TOKEN }, out: { command: [sh, -c, "pwd; echo printed"] } }';
  expect(await read(secrets, "file, env, out")).toEqual({
    a: { file: "of a file\n", env: "token-of-the-host", out: `${folder}\nprinted` },
  });
});

test("one that no agent names is not read", async () => {
  expect(await read("{ one: { file: ./absent }, two: { command: [absent] } }", "")).toEqual({});
});

test.each([
  ["{ one: { file: ./absent } }", "The secret one cannot be read: its file cannot be read: ENOENT"],
  ["{ one: { environment: EMPTY } }", "The secret one cannot be read: the variable EMPTY has no value."],
  ["{ one: { environment: SHORT } }", "The secret one cannot be read: the variable SHORT has a value of 5 bytes."],
  [
    "{ one: { command: [sh, -c, 'echo a-secret; exit 3'] } }",
    "The secret one cannot be read: its command sh ended with exit code 3.",
  ],
  ["{ one: { command: [no-such-program] } }", "The secret one cannot be read: its command cannot be started"],
  ["{ one: { command: [head, -c, '65537', /dev/zero] } }", "has a value of 65537 bytes"],
])("%s is refused, without its value", async (secrets, message) => {
  const error = await errorOf(read(secrets, "one"));
  expect(error).toMatchObject({ code: "config-invalid" });
  expect(String(error)).toContain(message);
  expect(String(error)).not.toContain("a-secret");
});

test("Ctrl+C ends a command that waits", async () => {
  const stop = new AbortController();
  const reading = errorOf(read("{ one: { command: [sleep, '60'] } }", "one", stop.signal));
  setTimeout(() => stop.abort(), 50);
  expect(await reading).toMatchObject({ code: "interrupted" });
});
