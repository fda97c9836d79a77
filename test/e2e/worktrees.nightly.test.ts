// Two worktrees of one repository, each with its own instance: each has an exchange of its own, and
// the last one takes their folder along.
import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";

const committer = `cat > /dev/null
cd /workspace && echo painted > door.txt && git add door.txt && git commit --quiet -m "Paint the door"
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "painted"}'`;

test("taking down the instance of a linked worktree leaves the other its exchange; the last one leaves nothing", async () => {
  await using main = await SettWorkspace.create({
    ...scriptAgent("painter", committer),
    "sett.yml": settYml({
      painter:
        "    bids:\n      - { on: GoalDefined, bid: exclusive }\n    workspace: { mode: rw }\n",
    }),
  });
  await using linked = await main.worktree();
  await main.up();
  await linked.up();
  await linked.need("down", "--volumes", "--timeout", "1s");
  const goal = (await main.need("forage", "--watch", "--goal", "Paint the door")).trim();
  const result = (await main.artefacts(goal)).at(-1);
  expect(await main.git("show", `${result?.metadata.commit}:door.txt`)).toBe("painted");
  await main.need("down", "--volumes", "--timeout", "1s");
  expect(await readdir(join(main.folder, ".git"))).not.toContain("sett");
}, 300_000);
