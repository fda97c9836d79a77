// The file of people's keys that sett.yml names, and what is refused of it.
import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkConfig, readConfig } from "../../../../lib/config/read-config.ts";
import { registrationsOf } from "../../../../lib/config/registrations.ts";
import { configFolder, validText } from "../../../support/config/config-file.ts";
import { sshSigner } from "../../../support/proof/ssh-signer.ts";

const text = (people: string) => `${validText}people: { ${people} }\n`;
const keys = "signers: ./keys/signers";
const ada = "ada: { email: ada@example.org }";
const line = sshSigner().line("ada@example.org");

async function mistakesAt(path: string): Promise<string[]> {
  const { mistakes } = await checkConfig(path, {});
  return mistakes.map((one) => `${one.path}: ${one.sentence}`);
}

test("each registration has the keys, the people and the rule, so that decisions name them", async () => {
  await using made = await configFolder({
    "sett.yml": text(`${keys}, signed: required, ${ada}, bob: {}`),
    "keys/signers": `# Of 2026\n${line}`,
  });
  const { config } = await readConfig(made.path, {});
  const people = [{ name: "ada", email: "ada@example.org" }, { name: "bob" }];
  const registrations = registrationsOf(config, new Map());
  expect(registrations.length).toBeGreaterThan(0);
  for (const { signing } of registrations)
    expect(signing).toEqual({ signers: `# Of 2026\n${line}`, people, required: true });
});

test("fewer people with keys than an agent asks for approvals could never meet it", async () => {
  const lead =
    "lead: { human: true, people: [ada, bob], approvals: 2, bids: [{ on: P, bid: review }] }";
  await using made = await configFolder({
    "sett.yml": text(`${keys}, signed: required, ${ada}, bob: {}`).replace(
      "people: {",
      `  ${lead}\npeople: {`,
    ),
    "keys/signers": line,
  });
  expect(await mistakesAt(made.path)).toEqual([
    "people.signers: names ./keys/signers, which has keys of 1 of the people of lead: it asks for 2 approvals",
  ]);
});

test("without the word, signatures are checked and none is needed; without a file, none is checked", async () => {
  await using made = await configFolder({
    "sett.yml": text(`${keys}, ${ada}`),
    "keys/signers": line,
  });
  const { config } = await readConfig(made.path, {});
  expect(config.signing).not.toHaveProperty("required");
  await using without = await configFolder({ "sett.yml": text(ada) });
  const { config: plain } = await readConfig(without.path, {});
  expect(registrationsOf(plain, new Map())[0]).not.toHaveProperty("signing");
});

test.each([
  ["is missing", undefined, ["cannot be read: "]],
  ["has no key", "# Later\n", ["names ./keys/signers, in which there is no key"]],
  ["has keys of others alone", line.replace("ada", "eve"), ["has no key of anyone in `people`"]],
  ["is longer than 64 KiB", line.repeat(1_000), ["is longer than 64 KiB"]],
  [
    "has lines of another kind",
    `${line}*@example.org ${line}ada@example.org cert-authority ${line}`,
    [
      "names ./keys/signers, whose line 2 has a pattern or quotation marks in its names",
      "whose line 3 names an authority",
    ],
  ],
])("a file that %s is named at its line of sett.yml", async (_, content, sentences) => {
  await using made = await configFolder({
    "sett.yml": text(`${keys}, ${ada}`),
    ...(content !== undefined && { "keys/signers": content }),
  });
  const found = await mistakesAt(made.path);
  expect(found).toHaveLength(sentences.length);
  for (const [at, sentence] of sentences.entries()) {
    expect(found[at]).toContain(sentence);
    expect(found[at]).toContain("people.signers");
  }
});

test("a folder, and a file that is no UTF-8, are named at their line", async () => {
  await using made = await configFolder({
    "sett.yml": text(`${keys}, ${ada}`),
    "keys/signers/a": "",
  });
  expect(await mistakesAt(made.path)).toEqual([expect.stringContaining("which is no file")]);
  await using other = await configFolder({
    "sett.yml": text(`${keys}, ${ada}`),
    "keys/signers": "",
  });
  await writeFile(join(dirname(other.path), "keys/signers"), Uint8Array.of(0xff, 0x41));
  expect(await mistakesAt(other.path)).toEqual([expect.stringContaining("is not UTF-8 text")]);
});
