// A sett on an Engine that runs without root, from `sett up` to `sett down`, as the user who runs
// both.
import { expect, test } from "bun:test";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Finding } from "../../apps/cli/facts/finding.ts";
import packageJson from "../../package.json" with { type: "json" };
import { canStartRootless, startRootlessEngine } from "../support/docker/rootless-engine.ts";
import { ensureTinyImage, tinyImage } from "../support/docker/tiny-image.ts";
import { settBinary } from "../support/process/compiled.ts";

const { version } = packageJson;
/**
 * Few, since they take most of the time: the agent's has no git, and its command uses that of the
 * cub.
 */
const images = [
  ...["redis", "orchestrator", "cub"].map((name) => `sett/${name}:${version}`),
  tinyImage,
];

/** Commits who it is, and what it may. */
const command = `set -e; cat > /dev/null; id -u > by; grep CapEff /proc/self/status >> by
git() { LD_LIBRARY_PATH=/cub /cub/git -c user.name=One -c user.email=one@sett.invalid "$@"; }
git add by; git commit -qm "By one" >&2
echo '{"artefact_type": "CodeCommit", "artefact_payload": "'$(git rev-parse HEAD)'", "summary": "Done"}'`;

const config = {
  version: "1.0",
  agents: {
    one: {
      image: tinyImage,
      command: ["sh", "-c", command],
      workspace: { mode: "rw" },
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
    },
  },
};

test.if(canStartRootless)(
  "on a rootless Engine an agent commits as root of its container, which is the user, and without capabilities",
  async () => {
    await ensureTinyImage();
    await using engine = await startRootlessEngine();
    const { as, folder, uid } = engine;
    await $`docker save ${images} | ${as} docker load`.quiet();
    const [repository, sett] = [join(folder, "repository"), join(folder, "sett")];
    await mkdir(repository);
    await copyFile(settBinary, sett);
    await writeFile(join(repository, "sett.yml"), JSON.stringify(config));
    await $`chown -R ${uid} ${repository}`;
    const inRepository = (...words: string[]) => $`${as} env --chdir=${repository} ${words}`.text();
    const git = (...words: string[]) =>
      inRepository("git", "-c", "user.name=Ada", "-c", "user.email=ada@sett.invalid", ...words);
    await git("init", "--quiet");
    await git("add", "--all");
    await git("commit", "--quiet", "--message", "Begin");

    await inRepository(sett, "up", "--name", "demo");
    await inRepository(sett, "forage", "--watch", "--goal", "Commit");
    const [ref = ""] =
      (await git("for-each-ref", "--format=%(refname) %(subject)", "refs/sett")).match(
        /^\S+(?= By one)/m,
      ) ?? [];
    expect(await git("show", `${ref}:by`)).toMatch(/^0\nCapEff:\s+0{16}\n$/);
    expect(await inRepository("find", ".", "!", "-uid", `${uid}`)).toBe("");

    const { findings }: { findings: Finding[] } = JSON.parse(
      await inRepository(sett, "doctor", "--json"),
    );
    const found = (subject: string, check: string) =>
      findings.find((each) => each.subject === subject && each.check === check);
    expect(found("engine", "user namespaces")?.found).toBe("on: the Engine runs without root");
    expect(found("agent one", "rights")).toMatchObject({
      level: "ok",
      found: "user 0:0, no capabilities, gains no privileges",
    });

    await inRepository(sett, "down", "--volumes", "--force");
    expect(await inRepository("docker", "ps", "--all", "--quiet")).toBe("");
  },
  240_000,
);
