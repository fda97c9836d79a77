// Agents that work in a part of the repository, in real containers: one that lasts, and workers.
import { expect, setDefaultTimeout } from "bun:test";
import type { Artefact } from "../../lib/model/artefact.ts";
import { nightly } from "../support/nightly.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";

setDefaultTimeout(600_000);

/** Changes the file that the goal names, and says which files there are beside the repository. */
const script = `cd /workspace
file=$(jq -r .target_artefact.payload)
files=$(find . -name .git -prune -o -type f -print | cut -c3- | sort | tr '\\n' ' ')
mkdir -p "$(dirname "$file")" && echo new > "$file"
git add --sparse "$file" && git commit -q -m Change >&2
jq -n --arg commit "$(git rev-parse HEAD)" --arg files "$files" \\
  '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: $files}'`;

const part = '    workspace: { mode: rw, paths: ["services/door/", "*.md"] }\n';
const all = { "services/door/key": "", "services/vault/plan": "", "vault/notes.md": "" };
const shown = ["README.md", "services/door/key", "vault/notes.md"];

async function expectPart(strategy: "reuse" | "fresh_per_call"): Promise<void> {
  const porter = `    strategy: ${strategy}\n    bids:\n      - { on: GoalDefined, bid: exclusive }\n${part}`;
  await using sett = await SettWorkspace.create({
    ...scriptAgent("porter", script),
    ...all,
    "sett.yml": settYml({ porter }),
  });
  const base = await sett.commit("Add a sett");
  await sett.up();
  const results: Record<string, Artefact | undefined> = {};
  for (const file of ["services/door/new", "vault/x", "notes/y.md"]) {
    const { code } = await sett.look("forage", "--watch", "--json", "--goal", file);
    expect([file, code === 0]).toEqual([file, file !== "vault/x"]);
    const { goals } = JSON.parse(await sett.need("status", "--json"));
    [, results[file]] = await sett.artefacts(goals.at(-1).id);
  }
  const made = results["services/door/new"];
  expect(
    made?.metadata.summary?.split(" ").filter((name) => !/^(?:agents|\.git|sett|$)/.test(name)),
  ).toEqual(shown);
  const changed = await sett.git("diff", "--name-only", base, `${made?.payload}`);
  expect(changed.trim()).toBe("services/door/new");
  expect(results["notes/y.md"]?.type).toBe("CodeCommit");
  expect(results["vault/x"]?.structural_type).toBe("Failure");
  expect(await sett.need("unearth", `${results["vault/x"]?.id}`)).toContain(
    "changes `vault/x`, which is not in the `workspace.paths` of the agent, so nothing was published",
  );
  expect(await sett.need("logs", "porter")).toContain("so nothing was published");
}

nightly("a worker has its files alone, and what it commits changes no other", async () => {
  await expectPart("fresh_per_call");
});

nightly(
  "a container that lasts has its files alone, and what it commits changes no other",
  async () => {
    await expectPart("reuse");
  },
);
