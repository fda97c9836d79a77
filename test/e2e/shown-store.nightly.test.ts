// What agents see of a repository, from `sett up` on: it costs its disk once, outlives clean-ups of
// git, and an `up` that is ended or has no room while it packs takes everything back.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import type { Finding } from "../../apps/cli/facts/finding.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { mountSmallDisk } from "../chaos/small-disk.ts";
import { startSett } from "../support/cli/sett-process.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";

const settings = `version: '1.0'
agents:
  reader:
    command: ["sh", "-c", "git log --format=%s > /dev/null; printf '{\\"structural_type\\":\\"Terminal\\",\\"artefact_type\\":\\"Seen\\",\\"artefact_payload\\":\\"%s\\",\\"summary\\":\\"\\"}' \\"$(git rev-parse HEAD)\\""]
    image: no-such-image:1
    bids: [{ on: GoalDefined, bid: exclusive }]
`;

let at: ProcessSett;

beforeAll(async () => {
  at = await ProcessSett.create(settings, {});
  await at.git("repack", "-adq");
});

afterAll(() => at[Symbol.asyncDispose]());

const up = () => at.need("up", "--runtime", "process", "--name", at.name);
const shown = () => join(at.folder, ".git/sett/objects", at.name, "pack");

async function storeFinding(): Promise<string | undefined> {
  const { findings }: { findings: Finding[] } = JSON.parse((await at.sett("doctor", "--json")).out);
  return findings.find(({ check }) => check === "store")?.found;
}

async function commitSeenBy(goal: string): Promise<string> {
  const id = (await at.need("forage", "--goal", goal, "--watch")).trim();
  const artefacts: Artefact[] = JSON.parse(await at.need("hoard", "--json", "--goal", id));
  return String(artefacts.at(-1)?.payload);
}

/** A git that does something when it is to pack what agents see; the folder goes to the PATH. */
async function gitThat(script: string, folder: string): Promise<string> {
  const [tools, real] = [join(folder, "tools"), (await $`which git`.text()).trim()];
  await mkdir(tools);
  await writeFile(
    join(tools, "git"),
    `#!/bin/sh\ncase " $* " in *" pack-objects "*) ${script} ;; esac\nexec ${real} "$@"\n`,
  );
  await chmod(join(tools, "git"), 0o755);
  return `${tools}:${process.env.PATH}`;
}

test("Ctrl-C while up packs takes everything back, and the next up goes on", async () => {
  await $`git commit --quiet --allow-empty --message "Not packed yet"`.cwd(at.folder);
  const PATH = await gitThat("exec sleep 600", at.root);
  const env = { ...at.environment, PATH };
  await using running = startSett(["up", "--runtime", "process", "--name", at.name], {
    cwd: at.folder,
    env,
  });
  await running.untilErr("packing what agents see of it");
  running.signal("SIGINT");
  expect(await running.exited).toBe(130);
  expect(running.err()).toContain("Interrupted: nothing was left behind.");
  expect(await readdir(join(at.folder, ".git/sett")).catch(() => [])).toEqual([]);
  await at.git("repack", "-adq");
  await up();
  expect(await storeFinding()).toContain("all of it shared with the repository");
  expect(await commitSeenBy("look")).toBe(await at.git("rev-parse", "HEAD"));
});

test("a clean-up of git takes nothing from the goals that follow, and up shares the new pack", async () => {
  await up();
  const [before = ""] = (await readdir(shown())).filter((name) => name.endsWith(".pack"));
  await at.git("-c", "gc.reflogExpire=now", "repack", "-adfq", "--window=1", "--depth=1");
  await at.git("commit", "--quiet", "--allow-empty", "--message", "Next");
  await at.git("repack", "-adq");
  await at.git("prune", "--expire=now");
  expect((await stat(join(shown(), before))).nlink).toBe(1);
  expect(await storeFinding()).toContain("a copy");
  expect(await commitSeenBy("look again")).toBe(await at.git("rev-parse", "HEAD"));
  await up();
  expect(await storeFinding()).toContain("all of it shared with the repository");
  expect(await readdir(shown())).not.toContain(before);
  expect(await commitSeenBy("and again")).toBe(await at.git("rev-parse", "HEAD"));
});

const probe = await mountSmallDisk({ megabytes: 1 });
await probe?.[Symbol.asyncDispose]();

test.if(probe !== undefined)(
  "a disk that is full while up packs is said in a sentence, and the next up goes on",
  async () => {
    await using disk = await mountSmallDisk({ megabytes: 64 });
    if (disk === undefined) return;
    const folder = join(disk.folder, "repository");
    await $`git clone --quiet --no-local ${at.folder} ${folder}`;
    await $`git -c user.name=Ada -c user.email=ada@sett.invalid commit --quiet --allow-empty --message "Not packed"`.cwd(
      folder,
    );
    const PATH = await gitThat(`cat /dev/zero > ${disk.folder}/filler 2> /dev/null`, disk.folder);
    const name = `${at.name}-full`;
    const full = (env: Record<string, string>) =>
      startSett(["up", "--runtime", "process", "--name", name], {
        cwd: folder,
        env: { ...at.environment, ...env },
      });
    await using refused = full({ PATH });
    expect(await refused.exited).toBe(1);
    const store = join(folder, ".git/sett/objects", name);
    expect(refused.err()).toContain(`${store} cannot grow: its disk is full`);
    expect(refused.err()).toContain("Make room there, then run the same command again.");
    await disk.relieve();
    try {
      await using done = full({});
      expect([await done.exited, done.err()]).toEqual([0, expect.any(String)]);
    } finally {
      await at.sett("down", "--name", name, "--volumes", "--force");
    }
  },
);
