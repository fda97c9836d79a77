// The main job, as a person would do it: a goal becomes a commit, made by an agent in a container, in a fresh clone of a real repository.
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { $ } from "bun";

const project = resolve(import.meta.dir, "..");
const sett = join(project, "bin/sett");
const usage = "usage: npm run demo -- [--repo PATH] [--keep]";

/** Ends with a sentence and what to do next. */
class DemoError extends Error {
  readonly hint: string;
  readonly exitCode: number;

  constructor(message: string, hint: string, exitCode = 1) {
    super(message);
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

function readOptions(): { repo: string; isKept: boolean } {
  try {
    const { values } = parseArgs({ options: { repo: { type: "string" }, keep: { type: "boolean" }, help: { type: "boolean" } } });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    return { repo: resolve(values.repo ?? project), isKept: values.keep ?? false };
  } catch (error) {
    throw new DemoError(error instanceof Error ? error.message : String(error), usage, 2);
  }
}

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

/** Ctrl-C reaches the running command too, which takes back what it was at; then everything else is taken back here. */
let isInterrupted = false;
process.on("SIGINT", () => {
  isInterrupted = true;
});

/** As it would be typed, so that it can be pasted. */
function typed(words: string[]): string {
  return words.map((word) => (/^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

/** Shows a command before it runs. */
async function run(folder: string, ...words: string[]): Promise<number> {
  console.log(`\n$ ${typed(words)}`);
  const [program = "", ...rest] = words;
  const child = Bun.spawn([program === "sett" ? sett : program, ...rest], {
    cwd: folder,
    stdio: ["inherit", "inherit", "inherit"],
  });
  return await child.exited;
}

async function need(folder: string, ...words: string[]): Promise<void> {
  const code = await run(folder, ...words);
  if (isInterrupted) throw new DemoError("Interrupted.", "Everything is being taken back.", 130);
  if (code !== 0) throw new DemoError(`\`${typed(words)}\` ended with exit code ${code}.`, "What it said stands above.");
}

/** The top folder of the repository that is cloned; a clone of part of a history would be of no use to agents. */
async function sourceRepository(repo: string): Promise<string> {
  const asked = await $`git -C ${repo} rev-parse --show-toplevel --is-shallow-repository`.quiet().nothrow();
  const [top = "", isShallow] = asked.stdout.toString().trim().split("\n");
  if (asked.exitCode !== 0) throw new DemoError(`${repo} is no git repository with files.`, `Name one: ${usage}`, 2);
  if (isShallow === "true") {
    throw new DemoError(
      `${top} is a shallow clone.`,
      `Fetch its whole history first: ${typed(["git", "-C", top, "fetch", "--unshallow"])}`,
    );
  }
  return top;
}

/** A fresh clone with a sett in it, committed: agents see only what is committed. */
async function fillClone(source: string, folder: string): Promise<void> {
  await $`git clone --quiet --no-local ${source} ${folder}`;
  await cp(join(project, "agents/changelog"), join(folder, "agents/changelog"), { recursive: true });
  await Bun.write(join(folder, "sett.yml"), settings);
  await $`git add --force agents/changelog sett.yml`.cwd(folder);
  const person = ["-c", "user.name=Sett demo", "-c", "user.email=demo@sett.invalid"];
  await $`git ${person} commit --quiet --allow-empty -m ${"Add a sett"}`.cwd(folder);
}

async function show(folder: string, name: string): Promise<string> {
  await need(folder, "sett", "forage", "--name", name, "--watch", "--goal", "Write the changelog");
  await need(folder, "sett", "hoard", "--name", name);
  const artefacts: { id: string; type: string }[] = await $`${sett} hoard --name ${name} --json`.cwd(folder).json();
  const result = artefacts.findLast((artefact) => artefact.type === "CodeCommit");
  if (result === undefined) {
    console.log("\nThe agent found nothing to write: what it answered stands above.");
    return "";
  }
  console.log("\nThe commit, in the repository on this machine (its HEAD, index and files are untouched):");
  await need(folder, "git", "--no-pager", "show", "--stat", `refs/sett/${name}/${result.id}`);
  return result.id;
}

function tellHowToLookFurther(folder: string, name: string, result: string): void {
  const own = typed([sett]);
  console.log(`
To look further:
  cd ${typed([folder])}
  ${own} unearth ${result.slice(0, 8)}      # the artefact with its commit
  ${own} watch                 # every event so far, then live
  ${own} status                # goals and what they wait for
  git merge refs/sett/${name}/${result}
  ${own} down --volumes        # when you have seen enough`);
}

async function demo(): Promise<void> {
  const { repo, isKept } = readOptions();
  const source = await sourceRepository(repo);
  await $`${process.execPath} run .ci/build.ts`.cwd(project);
  await $`${process.execPath} run .ci/images.ts`.cwd(project);
  const parent = await mkdtemp(join(tmpdir(), "sett-demo-"));
  const folder = join(parent, basename(source) || "repository");
  const name = `demo-${parent.slice(-6).toLowerCase()}`;
  let isUp = false;
  try {
    await fillClone(source, folder);
    console.log(`\nA fresh clone of ${source}: ${folder}`);
    await need(folder, "sett", "up", "--name", name);
    isUp = true;
    const result = await show(folder, name);
    if (isKept) tellHowToLookFurther(folder, name, result);
  } finally {
    if (!isKept || isInterrupted) {
      if (isUp) await run(folder, "sett", "down", "--name", name, "--volumes");
      await rm(parent, { recursive: true, force: true });
    }
  }
  if (!isKept) console.log("\nThat was all, and all of it is gone again. `npm run demo -- --keep` leaves it up to look around.");
}

try {
  await demo();
} catch (error) {
  const isExpected = error instanceof DemoError;
  console.error(isExpected ? `\ndemo: ${error.message}\n  → ${error.hint}` : error);
  process.exitCode = isExpected ? error.exitCode : 1;
}
