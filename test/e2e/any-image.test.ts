// Any image can be an agent: this one holds a single static program, no shell and no libc.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { instanceLabel } from "../../lib/runtime/labels.ts";
import { nightly } from "../support/nightly.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";

let sett: SettWorkspace;

/** What a checkout writes, by the encoding that the attributes name. */
const encoded: Record<string, Buffer> = {
  "UTF-16LE-BOM": Buffer.from("\ufeffé\n", "utf16le"),
  "UTF-16": Buffer.from("\ufeffé\n", "utf16le"),
  "ISO-8859-1": Buffer.from("é\n", "latin1"),
  CP1252: Buffer.from([0x80, 0x0a]),
  "SHIFT-JIS": Buffer.from([0x83, 0x41, 0x0a]),
};
const attributeOf = (name: string) => `${name} working-tree-encoding=${name}\n`;
const write = async (name: string, bytes: string | Buffer) =>
  void (await Bun.write(`${sett.folder}/${name}`, bytes));

beforeAll(async () => {
  sett = await SettWorkspace.create({
    "agents/bare/Dockerfile": "FROM scratch\nCOPY echo /echo\n",
    "sett.yml": [
      "version: '1.0'",
      "agents:",
      "  bare:",
      "    build: { context: ./agents/bare }",
      `    command: ["/echo", '{"artefact_type":"Bare","artefact_payload":"no shell, no libc","summary":"bare"}']`,
      "    bids:",
      "      - { on: GoalDefined, bid: exclusive }",
      "    workspace: { mode: rw }",
      "",
    ].join("\n"),
  });
  // busybox-static acts as the program that it is named after.
  await $`cp /bin/busybox agents/bare/echo`.cwd(sett.folder);
  await write("encoded/.gitattributes", Object.keys(encoded).map(attributeOf).join(""));
  for (const [name, bytes] of Object.entries(encoded)) await write(`encoded/${name}`, bytes);
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

test("an agent image with no shell and no libc does its work", async () => {
  const files = await $`docker export sett-${sett.name}-agent-bare | tar -t`.text();
  expect(files).not.toMatch(/^(?:usr\/)?bin\/|libc\.so|ld-linux/m);
  await sett.need("forage", "--watch", "--goal", "anything");
  const artefacts: { type: string; payload: string }[] = JSON.parse(
    await sett.need("hoard", "--json"),
  );
  expect(artefacts.at(-1)).toMatchObject({ type: "Bare", payload: "no shell, no libc" });
});

test("and a working copy with the files of a clone, in whatever encoding they are", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "sett-encoded-"));
  await $`docker cp sett-${sett.name}-agent-bare:/workspace/encoded - | tar -x`.cwd(folder.path);
  for (const [name, bytes] of Object.entries(encoded))
    expect([name, await readFile(join(folder.path, "encoded", name), "latin1")]).toEqual([
      name,
      bytes.toString("latin1"),
    ]);
});

nightly(
  "an agent whose image has changed leaves no earlier image behind",
  async () => {
    const unnamed = async () =>
      (
        await $`docker images --quiet --filter dangling=true --filter ${`label=${instanceLabel}=${sett.name}`}`.text()
      ).trim();
    for (const way of ["green", "blue"]) {
      await $`echo ${`FROM scratch\nENV DOOR=${way}\nCOPY echo /echo`} > agents/bare/Dockerfile`.cwd(
        sett.folder,
      );
      await sett.commit(`Paint the door ${way}`);
      await sett.up();
    }
    const variables =
      await $`docker inspect --format ${"{{json .Config.Env}}"} sett-${sett.name}-agent-bare`.text();
    expect(variables).toContain("DOOR=blue");
    expect(await unnamed()).toBe("");
  },
  300_000,
);
