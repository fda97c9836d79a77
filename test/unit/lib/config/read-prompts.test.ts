// Prompts that come from files, and what is refused of them.
import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readConfig } from "../../../../lib/config/read-config.ts";
import { configFolder, mistakesIn } from "../../../support/config/config-file.ts";

const text = (agent: string) => `version: '1.0'
models: { m: { provider: openai, base_url: "http://h/v1", model: m, price: { input: 0, output: 0 } } }
agents:
  a: { image: "b:1", ${agent} }
`;
const asks = (file: string) =>
  text(`model: m, prompts: { claim: Short., execution: { file: ${file} } }`);

test("a file gives the text as it is, beside one that is written in sett.yml", async () => {
  const long = "Do it well. é\n".repeat(20_000);
  await using made = await configFolder({
    "sett.yml": asks("./prompts/a.md"),
    "prompts/a.md": long,
  });
  const { config } = await readConfig(made.path, {});
  expect(config.agents[0]?.prompts).toEqual({ claim: "Short.", execution: long });
});

test.each([
  ["is missing", undefined, "cannot be read: "],
  ["is empty", " \n", "whose text must not be empty"],
  ["has a NUL", "a\0b", "whose text must not contain a NUL character"],
  ["is longer than 1 MiB", "x".repeat(1024 * 1024 + 1), "which is longer than 1 MiB"],
])("a file that %s is named at its line", async (_, content, sentence) => {
  await using made = await configFolder({
    "sett.yml": asks("./a.md"),
    ...(content !== undefined && { "a.md": content }),
  });
  await expect(readConfig(made.path, {})).rejects.toThrow(sentence);
  await expect(readConfig(made.path, {})).rejects.toThrow("agents.a.prompts.execution.file");
});

test("a file that is no UTF-8 is named at its line", async () => {
  await using made = await configFolder({ "sett.yml": asks("./a.md") });
  await writeFile(join(dirname(made.path), "a.md"), Uint8Array.of(0xff, 0x41));
  await expect(readConfig(made.path, {})).rejects.toThrow("which is not UTF-8 text");
});

test("a folder and a device are named at their line", async () => {
  await using made = await configFolder({ "sett.yml": asks("./a"), "b/c.md": "" });
  for (const make of [
    ["ln", "-s", "b", "a"],
    ["ln", "-sf", "-T", "/dev/null", "a"],
  ]) {
    expect(Bun.spawnSync(make, { cwd: dirname(made.path) }).exitCode).toBe(0);
    await expect(readConfig(made.path, {})).rejects.toThrow("/a, which is no file");
  }
});

test("a command gets its prompt in a variable, which has no room for a longer one", async () => {
  const own = text("command: [run], prompts: { execution: { file: ./a.md } }");
  await using made = await configFolder({ "sett.yml": own, "a.md": "x".repeat(100 * 1024 + 1) });
  await expect(readConfig(made.path, {})).rejects.toThrow("let the `command` read the file itself");
});

test("a prompt in sett.yml itself that is too long names the way by a file", async () => {
  const mistakes = await mistakesIn(
    text(`model: m, prompts: { execution: ${"x".repeat(100 * 1024 + 1)} }`),
  );
  expect(mistakes).toEqual([
    expect.stringContaining("a longer one comes from a file, `{ file: ./prompt.md }`"),
  ]);
});
