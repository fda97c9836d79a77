// The workspaces of agents that are processes: what the next program finds there, be it a cub that
// was started again or the next worker of a slot, and a part of the repository.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "../../lib/model/artefact.ts";
import { isAlive } from "../../lib/process/process-id.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

let at: ProcessSett;

/**
 * Says which files there are, when README.md was last written, and what is in `changing`; leaves a
 * file behind. Where its goal names a file, it is changed and committed.
 */
const script = `set -e
file=$(jq -r .target_artefact.payload | cut -d ' ' -f 2)
files=$(find . -name .git -prune -o -type f -print | cut -c3- | sort | tr '\\n' ' ')
written=$(stat -c '%i %z' README.md)
changing=$(cat changing.md)
echo x > left
commit=
if [ "$file" != none ]; then
  mkdir -p "$(dirname "$file")" && echo new > "$file"
  git add --sparse "$file" && git commit -q -m Change >&2
  commit=$(git rev-parse HEAD)
fi
jq -n --arg commit "$commit" --arg files "$files" --arg written "$written" --arg changing "$changing" '
  {structural_type: "Terminal", artefact_type: "Seen", summary: "Looked around",
    artefact_payload: (if $commit == "" then {$files, $written, $changing} | tojson else $commit end)}'`;

const names = { lasting: "", worker: "    strategy: fresh_per_call\n    replicas: 1\n" };
const agents = Object.entries({
  ...names,
  porter: `${names.worker}    # In a part.\n`,
  warden: names.lasting,
}).map(([name, strategy]) => {
  const isPart = name === "porter" || name === "warden";
  const paths = isPart ? ', paths: ["services/door/", "*.md"]' : "";
  const bid = `jq -r .payload | grep -q '^${name} ' && echo exclusive || echo ignore`;
  return (
    `  ${name}:\n    image: none:1\n    command: ${JSON.stringify(["sh", "-c", script])}\n` +
    `    bid_command: ${JSON.stringify(["sh", "-c", bid])}\n${strategy}` +
    `    workspace: { mode: rw${paths} }\n`
  );
});

beforeAll(async () => {
  at = await ProcessSett.create(`version: '1.0'\nagents:\n${agents.join("")}`, {
    ...{ "README.md": "Hello.\n", "changing.md": "0\n" },
    ...{ "services/door/key": "k\n", "services/vault/plan": "p\n", "vault/notes.md": "n\n" },
  });
  await at.up();
}, 300_000);

afterAll(() => at[Symbol.asyncDispose]());

/** The result of the agent on a goal of its own. */
async function resultOf(agent: string, file = "none"): Promise<Artefact | undefined> {
  const { out } = await at.sett("forage", "--watch", "--goal", `${agent} ${file}`);
  const artefacts: Artefact[] = JSON.parse(
    await at.need("hoard", "--json", "--goal", out.trim().split("\n").at(-1) ?? ""),
  );
  return artefacts.at(-1);
}

type Workspace = { files: string; written: string; changing: string };

async function seenBy(agent: string): Promise<Workspace> {
  return JSON.parse(`${(await resultOf(agent))?.payload}`);
}

async function commitOther(text: string): Promise<void> {
  await writeFile(join(at.folder, "changing.md"), text);
  await at.git("commit", "--quiet", "--all", "--message", text);
}

test("a cub that was started again writes what differs, and nothing else", async () => {
  const before = await seenBy("lasting");
  const cub = at.processOf("agent-lasting");
  if (cub === undefined) throw new Error("It does not run.");
  process.kill(cub.pid, "SIGKILL");
  await waitFor("it to have ended", () => !isAlive(cub));
  await waitFor(
    "another cub",
    () => ![undefined, cub.pid].includes(at.processOf("agent-lasting")?.pid),
  );
  await commitOther("1");
  expect(await seenBy("lasting")).toEqual({ ...before, changing: "1" });
}, 300_000);

test("so does the next worker of a slot", async () => {
  const before = await seenBy("worker");
  await commitOther("2");
  expect(await seenBy("worker")).toEqual({ ...before, changing: "2" });
}, 300_000);

test.each(["warden", "porter"])(
  "%s has the files of its part alone, and what it commits changes no other",
  async (agent) => {
    const seen = await seenBy(agent);
    // A folder brings the files of those that it is in.
    expect(seen.files).toBe("README.md changing.md services/door/key sett.yml vault/notes.md ");
    const made = await resultOf(agent, "services/door/new");
    const base = await at.git("rev-parse", "HEAD");
    expect(await at.git("diff", "--name-only", base, `${made?.payload}`)).toBe("services/door/new");
    const refused = await resultOf(agent, "vault/x");
    expect(refused?.structural_type).toBe("Failure");
    expect(refused?.payload).toContain("is not in the `workspace.paths` of the agent");
    // A part that was kept is taken over as well.
    expect(await seenBy(agent)).toEqual(seen);
  },
  300_000,
);
