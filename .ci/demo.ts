// The main job, as a person would do it: a goal becomes a commit, made by an agent in a container, in a fresh clone of a real repository.
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { $ } from "bun";

const project = resolve(import.meta.dir, "..");
const sett = join(project, "bin/sett");
const { values: options } = parseArgs({
  options: { repo: { type: "string", default: project }, keep: { type: "boolean", default: false } },
});

const settings = `# Written by the demo: one agent, which keeps the changelog.
version: '1.0'
agents:
  changelog:
    build: { context: ./agents/changelog }
    command: ["/app/run.sh"]
    bids:
      - { on: GoalDefined, bid: exclusive }
    workspace: { mode: rw }
`;

/** Shows a command before it runs, the way it would be typed. */
async function run(folder: string, ...words: string[]): Promise<number> {
  console.log(`\n$ ${words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(" ")}`);
  const [program, ...rest] = words;
  const child = Bun.spawn([program === "sett" ? sett : (program ?? ""), ...rest], {
    cwd: folder,
    stdio: ["inherit", "inherit", "inherit"],
  });
  return await child.exited;
}

async function need(folder: string, ...words: string[]): Promise<void> {
  const code = await run(folder, ...words);
  if (code !== 0) throw new Error(`\`${words.join(" ")}\` ended with exit code ${code}.`);
}

/** A fresh clone with a sett in it, committed: agents see only what is committed. */
async function prepareClone(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const parent = await mkdtemp(join(tmpdir(), "sett-demo-"));
  const folder = join(parent, basename(resolve(options.repo)) || "repository");
  await $`git clone --quiet --no-local ${resolve(options.repo)} ${folder}`;
  const agent = join(folder, "agents/changelog");
  if (!existsSync(agent)) await cp(join(project, "agents/changelog"), agent, { recursive: true });
  await Bun.write(join(folder, "sett.yml"), settings);
  await $`git add -A`.cwd(folder);
  await $`git -c user.name=${"Sett demo"} -c user.email=demo@sett.invalid commit --quiet -m ${"Add a sett"}`.cwd(folder);
  return { folder, remove: () => rm(parent, { recursive: true, force: true }) };
}

async function show(folder: string, name: string): Promise<void> {
  await need(folder, "sett", "forage", "--name", name, "--watch", "--goal", "Write the changelog");
  await need(folder, "sett", "hoard", "--name", name);
  const artefacts: { id: string; type: string; metadata: { commit?: string } }[] = await $`${sett} hoard --name ${name} --json`
    .cwd(folder)
    .json();
  const result = artefacts.findLast((artefact) => artefact.type === "CodeCommit");
  if (result === undefined) throw new Error("The goal ended without a CodeCommit artefact.");
  console.log("\nThe commit, in the repository on this machine (its HEAD, index and files are untouched):");
  await need(folder, "git", "--no-pager", "show", "--stat", `refs/sett/${name}/${result.id}`);
  console.log(`
To look further (in ${folder}):
  sett unearth ${result.id.slice(0, 8)}      the artefact with its commit
  sett watch                every event so far, then live
  sett status               goals and what they wait for
  git merge refs/sett/${name}/${result.id}`);
}

if (!existsSync(join(resolve(options.repo), ".git"))) {
  console.error(`demo: ${options.repo} is not a git repository.\n  → Name one: npm run demo -- --repo PATH`);
  process.exit(2);
}
await $`${process.execPath} run .ci/build.ts --host`.cwd(project);
await $`${process.execPath} run .ci/images.ts`.cwd(project);
const clone = await prepareClone();
const name = `demo-${clone.folder.split("/").at(-2)?.split("-").at(-1)?.toLowerCase() ?? "1"}`;
console.log(`\nA fresh clone of ${resolve(options.repo)}: ${clone.folder}`);
let isUp = false;
try {
  await need(clone.folder, "sett", "up", "--name", name);
  isUp = true;
  await show(clone.folder, name);
} catch (error) {
  console.error(`\ndemo: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  if (options.keep) {
    console.log(`\nKept. To take it down: cd ${clone.folder} && ${sett} down --volumes`);
  } else {
    if (isUp) await run(clone.folder, "sett", "down", "--name", name, "--volumes");
    await clone.remove();
  }
}
