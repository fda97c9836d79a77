// One result that is a list of pieces: each file is migrated by a grant of its own, and all commits
// are merged when the last of them has ended. The guide's page does forty, typed at night.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { $ } from "bun";
import type { Artefact } from "../../lib/model/artefact.ts";
import { fileWrittenBy } from "../support/docs/pages.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";

const page = "docs/guides/pieces.md";
const agentFiles = Object.fromEntries(
  ["split", "file", "join"].flatMap((agent) => [
    [`agents/${agent}/run.sh`, fileWrittenBy(page, `agents/${agent}/run.sh`)],
    [`agents/${agent}/Dockerfile`, "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n"],
  ]),
);
const texts = ["one", "two", "three"].map((name) => `texts/${name}.txt`);

let sett: ProcessSett;
let artefacts: Artefact[];

beforeAll(async () => {
  sett = await ProcessSett.create(fileWrittenBy(page, "sett.yml"), {
    ...agentFiles,
    ...Object.fromEntries(texts.map((path) => [path, "The colour of it\n"])),
  });
  await sett.up();
  const { id } = JSON.parse(
    await sett.need("forage", "--watch", "--json", "--goal", "Write color"),
  );
  artefacts = JSON.parse(await sett.need("hoard", "--json", "--goal", id));
}, 240_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

test("forty pieces or three become one merge commit of all their commits, with all of them as its sources", async () => {
  const done = artefacts.filter(({ type }) => type === "MigratedFile");
  const merged = artefacts.find(({ type }) => type === "CodeCommit");
  const list = artefacts.find(({ type }) => type === "Migration");
  expect(done.map(({ payload }) => payload).sort()).toEqual(texts.toSorted());
  expect(merged?.source_artefacts.map(String).toSorted()).toEqual(
    [list, ...done].map((one) => String(one?.id)).toSorted(),
  );
  const git = (...words: string[]) => $`git ${words}`.cwd(sett.folder).quiet().text();
  const ref = `refs/sett/${sett.name}/${merged?.id}`;
  expect((await git("grep", "-l", "color", ref, "--", "texts")).trim().split("\n")).toHaveLength(3);
  const parents = (await git("rev-list", "--parents", "-1", ref)).trim().split(" ").slice(1);
  expect(parents.toSorted()).toEqual(
    done.map(({ metadata }) => String(metadata.commit)).toSorted(),
  );
});
