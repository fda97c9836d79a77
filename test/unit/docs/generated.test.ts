// What is generated in the documentation is what would be generated now.
import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Glob } from "bun";
import { generatedPages, root } from "../../../.ci/docs/pages.ts";
import { commands } from "../../../apps/cli/commands.ts";
import { artefactFieldNames } from "../../../lib/blackboard/records/artefact-field-names.ts";
import { fieldsOfClaim } from "../../../lib/blackboard/redis/claim-fields.ts";
import { Grant } from "../../../lib/model/claim.ts";
import {
  FailureReport,
  FullToolOutput,
  ShortToolOutput,
  ToolInput,
} from "../../../lib/model/tool-contract.ts";
import { sampleArtefact, sampleClaim } from "../../support/records/sample.ts";

test("no generated page is stale: `just docs` writes them", async () => {
  const pages = await generatedPages();
  expect([...pages].flatMap(([path, { isStale }]) => (isStale ? [path] : []))).toEqual([]);
  expect([...pages.keys()].toSorted()).toEqual([
    "docs/reference/api.md",
    "docs/reference/blackboard.md",
    "docs/reference/cli.md",
    "docs/reference/services.md",
    "docs/reference/sett-yml.md",
    "docs/reference/sett.schema.json",
  ]);
});

test("every command has its section", async () => {
  const page = await readFile(join(root, "docs/reference/cli.md"), "utf8");
  expect(Object.keys(commands).filter((name) => !page.includes(`\n### sett ${name}\n`))).toEqual(
    [],
  );
});

test("the blackboard's page names every field of an artefact, of a claim and of a grant", async () => {
  const page = await readFile(join(root, "docs/reference/blackboard.md"), "utf8");
  const ofClaim = Object.keys(
    fieldsOfClaim({ claim: sampleClaim(sampleArtefact(), []), cause: "standard", grants: [] }),
  );
  const ofGrant = Grant.options.flatMap((state) => Object.keys(state.shape));
  expect(
    [...artefactFieldNames, ...ofClaim, ...ofGrant].filter((name) => !page.includes(`\`${name}\``)),
  ).toEqual([]);
});

test("the tool contract's page names every key of input and output", async () => {
  const page = await readFile(join(root, "docs/reference/tool-contract.md"), "utf8");
  const keys = [ToolInput, FullToolOutput, ShortToolOutput, FailureReport].flatMap(({ shape }) =>
    Object.keys(shape),
  );
  expect(keys.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("the services' page names every variable that the source names", async () => {
  const page = await readFile(join(root, "docs/reference/services.md"), "utf8");
  const files = await Array.fromAsync(new Glob("{apps,lib}/**/*.ts").scan(root));
  const sources = await Promise.all(files.map((file) => readFile(join(root, file), "utf8")));
  const named = sources.flatMap((source) => source.match(/\bSETT_[A-Z_]+\b/g) ?? []);
  // A variable of the person who writes the file, in the text of a message; those of the command
  // line, which docs/reference/cli.md has.
  const ofPeople = ["SETT_HOOK_SECRET", "SETT_API", "SETT_API_TOKEN", "SETT_DOCKER_TIMEOUT"];
  const settings = new Set(named.filter((name) => !ofPeople.includes(name)));
  expect(settings.size).toBeGreaterThan(20);
  expect([...settings].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
