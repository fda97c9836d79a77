// An instance on an Engine that is reached by ssh and sees none of the repository's files, from
// `sett up` to `sett down`.
import { expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { canHideFolders, hideFolder } from "../support/docker/hidden-folder.ts";
import { canStartSsh, startSshServer } from "../support/docker/ssh-server.ts";
import { docker } from "../support/docker/tiny-image.ts";
import { settBinary } from "../support/process/compiled.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";

setDefaultTimeout(600_000);

const engine = process.env.DOCKER_HOST || "unix:///var/run/docker.sock";
const command = `set -e; cat > /dev/null; date > made; git add made; git commit -qm Made >&2
jq -n --arg c "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $c, summary: "Made"}'`;
const config = (more: object = {}) =>
  JSON.stringify({
    ...more,
    version: "1.0",
    agents: {
      worker: {
        ...{
          image: "sett/agent-base:latest",
          command: ["sh", "-c", command],
          workspace: { mode: "rw" },
        },
        bids: [{ on: "GoalDefined", bid: "exclusive" }],
      },
      hand: {
        external: true,
        bids: [
          { on: "Report", bid: "ignore" },
          { on: "GoalDefined", bid: "ignore" },
        ],
      },
    },
  });

test.skipIf(!canHideFolders || !canStartSsh)(
  "an instance runs where the Engine has neither files nor ports of this machine, and what cannot be is said before",
  async () => {
    await using sett = await SettWorkspace.create({
      "sett.yml": config(),
      "release.yml": config({ triggers: { release: { tag: "v*", goal: "Make" } } }),
    });
    await using hidden = await hideFolder(sett.folder, settBinary);
    await using ssh = await startSshServer(engine);
    sett.env = ssh.env;
    sett.binary = hidden.program;
    const ours = async (...words: string[]) =>
      (await docker(...words, "--filter", `name=sett-${sett.name}`)).stdout;

    const refused = await sett.sett("up", "--name", sett.name, "--file", "release.yml");
    expect(refused.err).toContain("The Docker Engine does not see the files of this machine");
    expect(refused.err).toMatch(/release\.yml:1:\d+ triggers\.release: waits for a name/);
    expect(refused.code).toBe(2);
    expect(await ours("ps", "--all", "--quiet")).toBe("");
    expect(await ours("volume", "ls", "--quiet")).toBe("");

    const up = ["up", "--name", sett.name] as const;
    try {
      await sett.need(...up);
      expect(await ours("ps", "--format", "{{.Ports}}")).not.toContain("->");
      await sett.need("forage", "--goal", "Report", "--watch");
      // The commit has come into the person's repository.
      expect(await $`${hidden.within} git log --all --format=%s`.text()).toContain("Made\n");
      expect(await sett.need(...up)).toContain("nothing has changed");
      const { code, err } = await sett.sett("agent-env", "hand");
      expect(err).toContain("is on the machine of the Docker Engine");
      expect(code).toBe(2);
    } finally {
      await sett.need("down", "--volumes", "--force", "--timeout", "1s");
    }
    expect(await ours("ps", "--all", "--quiet")).toBe("");
    expect(await ours("volume", "ls", "--quiet")).toBe("");
  },
);
