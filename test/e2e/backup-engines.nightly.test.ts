// Moves an instance in containers from one Docker Engine to another, with what agents have
// committed; what a killed restore leaves there is taken down, and replaced.
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { finished, needed } from "../support/cli/finished.ts";
import { canStartEngine, startFreshEngine } from "../support/docker/fresh-engine.ts";
import { settBinary } from "../support/process/compiled.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";

setDefaultTimeout(900_000);

const images = ["cub", "redis", "orchestrator", "agent-base"].map((name) => `sett/${name}:latest`);
const script = `cat > /dev/null; date > file; git add file; git commit -qm Work >&2
printf '{"artefact_type": "CodeCommit", "artefact_payload": "%s", "summary": "Done"}' "$(git rev-parse HEAD)"`;
const settings = {
  version: "1.0",
  agents: {
    coder: {
      image: "sett/agent-base:latest",
      command: ["sh", "-c", script],
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      workspace: { mode: "rw" },
    },
  },
};

test.skipIf(!canStartEngine)(
  "an instance moves to another Engine, with its commits, and goes on there",
  async () => {
    await using here = await SettWorkspace.create({ "sett.yml": JSON.stringify(settings) });
    await using engine = await startFreshEngine();
    await $`docker save ${images} | docker --host ${engine.host} load`.quiet();
    const version = (await here.need("--version")).trim();
    for (const image of images) {
      const tag = image.replace("latest", version);
      await $`docker --host ${engine.host} tag ${image} ${tag}`;
    }
    const place = await mkdtemp(join(tmpdir(), "sett-elsewhere-"));
    const clone = join(place, "clone");
    const sett = async (...words: string[]) =>
      await finished(
        Bun.spawn([...engine.within(), settBinary, ...words], {
          ...{ cwd: clone, env: { ...process.env, DOCKER_HOST: engine.host } },
          ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
        }),
      );
    const need = async (...words: string[]) => needed(words, await sett(...words));
    const file = join(place, "of.sett");
    try {
      await here.up();
      await here.need("forage", "--goal", "first", "--watch");
      await here.need("backup", file);
      const before = JSON.parse(await here.need("hoard", "--json"));
      await here.need("down", "--volumes");

      await $`git clone --quiet ${here.folder} ${clone}`;
      await need("restore", file);
      await need("up", "--name", here.name);
      expect(JSON.parse(await need("hoard", "--json"))).toEqual(before);
      const commit = before.find(({ type }: { type: string }) => type === "CodeCommit")?.payload;
      expect((await $`git log --format=%s ${commit}`.cwd(clone).text()).trim()).toBe("Work\nBegin");
      await need("forage", "--goal", "second", "--watch");

      // What a kill leaves: a base file, and no list of the files yet.
      await need("down");
      const list = "appendonlydir/appendonly.aof.manifest";
      const image = ["--entrypoint", "rm", "sett/agent-base:latest"];
      const volume = `sett-${here.name}-blackboard:/data`;
      await $`docker --host ${engine.host} run --rm --user 0 -v ${volume} ${image} /data/${list}`;
      const up = await sett("up", "--name", here.name);
      expect([up.code, up.err]).toEqual([1, expect.stringContaining("`sett restore` was killed")]);
      await need("restore", file, "--replace");
      await need("up", "--name", here.name);
      expect(JSON.parse(await need("hoard", "--json"))).toEqual(before);
      await truncate(file, 1_000);
      await need("down");
      expect((await sett("restore", file, "--replace")).err).toContain("is not as it was written");
      await need("up", "--name", here.name);
      expect(JSON.parse(await need("hoard", "--json"))).toEqual(before);
    } finally {
      await sett("down", "--name", here.name, "--volumes", "--force", "--timeout", "1s");
      await rm(place, { recursive: true });
    }
  },
);
