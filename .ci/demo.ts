// The demo: six agents release a repository, each in a container of its own. It runs the commands
// that a person would type.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { $ } from "bun";
import { fillRepository } from "./demo-repository.ts";
import {
  DemoError,
  expectEnd,
  isInterrupted,
  need,
  project,
  quoted,
  run,
  sett,
} from "./demo-steps.ts";
import { showModels } from "./llm-demo/show-models.ts";

const usage =
  "usage: npm run demo -- [--llm | --repo PATH] [--version X.Y.Z | --ask [--answer TEXT]] [--approve] [--keep] [--runtime docker|process]";

/**
 * `answer`: to the question which version to release; undefined: the person at the terminal
 * answers. `isApproved`: a person is asked about what the reviewer has approved. `llm`: another
 * demo, of two agents that are prompts.
 */
type Release =
  | { kind: "release"; version: string; isApproved: boolean }
  | { kind: "ask"; answer: string | undefined };
type Goal = Release | { kind: "llm" };

type Options = { repo: string | undefined; goal: Goal; isKept: boolean; runtime: string };

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        llm: { type: "boolean", default: false },
        repo: { type: "string" },
        version: { type: "string" },
        ask: { type: "boolean", default: false },
        answer: { type: "string" },
        approve: { type: "boolean", default: false },
        keep: { type: "boolean", default: false },
        runtime: { type: "string", default: "docker" },
        help: { type: "boolean" },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    const { llm, repo, version = "1.2.0", ask, answer, approve, keep: isKept, runtime } = values;
    if (!/^\d+\.\d+\.\d+$/.test(version))
      throw new Error(`${version} is not a version such as 1.2.0.`);
    const ofTrain = repo !== undefined || values.version !== undefined || ask || approve;
    if (llm && (ofTrain || answer !== undefined))
      throw new Error(
        "--llm takes only --keep and --runtime: its calls were recorded with one goal and one answer.",
      );
    if (answer !== undefined && !ask) throw new Error("--answer needs --ask.");
    if (ask && approve) throw new Error("--approve cannot be combined with --ask.");
    if (ask && answer === undefined && !process.stdin.isTTY)
      throw new Error("--ask needs a terminal to ask at: add --answer 1.2.0.");
    const goal: Goal = llm
      ? { kind: "llm" }
      : ask
        ? { kind: "ask", answer }
        : { kind: "release", version, isApproved: approve };
    return { repo: repo === undefined ? undefined : resolve(repo), goal, isKept, runtime };
  } catch (error) {
    throw new DemoError(error instanceof Error ? error.message : String(error), usage, 2);
  }
}

/**
 * The top folder of the repository that is cloned. Agents need the whole history, so a shallow
 * clone is refused.
 */
async function sourceRepository(repo: string): Promise<string> {
  const found = await $`git -C ${repo} rev-parse --show-toplevel --is-shallow-repository`
    .quiet()
    .nothrow();
  const [top = "", isShallow] = found.stdout.toString().trim().split("\n");
  if (found.exitCode !== 0)
    throw new DemoError(`${repo} is not a git repository with files.`, `Name one: ${usage}`, 2);
  if (isShallow === "true") {
    throw new DemoError(
      `${top} is a shallow clone.`,
      `Fetch its whole history first: ${quoted(["git", "-C", top, "fetch", "--unshallow"])}`,
    );
  }
  return top;
}

type Listed = { id: string; type: string };

/** Posts the goal, follows it to its end, and shows its results. */
async function release(folder: string, name: string, goal: Release): Promise<Listed[]> {
  console.log(`
The changelog agent writes the entry and raises the version. The reviewer reviews its commit; if it finds a fault, the changelog agent
reworks the commit. Once the reviewer approves a version, three agents check it at the same time, and the packager ends the release.`);
  const forage = ["sett", "forage", "--name", name, "--watch", "--goal"];
  if (goal.kind === "release") {
    const post = [...forage, `Release ${goal.version}`];
    if (!goal.isApproved || process.stdin.isTTY) await need(folder, ...post);
    else {
      await expectEnd(4, folder, ...post);
      await approve(folder, name);
    }
  } else {
    console.log("\nThe goal names no version, so the changelog agent asks for it.");
    const nextVersion = [...forage, "Release the next version"];
    if (goal.answer === undefined) await need(folder, ...nextVersion);
    else {
      await expectEnd(4, folder, ...nextVersion);
      await answerQuestion(folder, name, goal.answer);
    }
  }
  await need(folder, "sett", "hoard", "--name", name);
  await need(folder, "sett", "graph", "--name", name);
  const artefacts: Listed[] = await $`${sett} hoard --name ${name} --json`.cwd(folder).json();
  const commit = artefacts.findLast(({ type }) => type === "CodeCommit");
  if (commit === undefined) return artefacts;
  console.log(
    "\nThe commit, in the repository on this machine (its HEAD, index and files are untouched):",
  );
  await need(folder, "git", "--no-pager", "show", "--stat", `refs/sett/${name}/${commit.id}`);
  return artefacts;
}

/** Answers as a person would, an hour or a week later. */
async function answerQuestion(folder: string, name: string, answer: string): Promise<void> {
  await need(folder, "sett", "questions", "--name", name);
  const question = await firstInquiry(folder, name);
  await need(folder, "sett", "answer", question, answer, "--name", name, "--watch");
}

/** The reviewer has rejected version 1, about which no person was asked, and approved version 2. */
async function approve(folder: string, name: string): Promise<void> {
  await need(folder, "sett", "questions", "--name", name);
  const commit = await firstInquiry(folder, name);
  await need(folder, "sett", "approve", commit, "--as", "Ada", "--name", name, "--watch");
}

/** The beginning of its id. */
async function firstInquiry(folder: string, name: string): Promise<string> {
  const [first]: { id: string }[] = await $`${sett} questions --name ${name} --json`
    .cwd(folder)
    .json();
  if (first !== undefined) return first.id.slice(0, 8);
  throw new DemoError("Nothing waits for a person.", "`sett status` says why.");
}

/** Makes the archive again here by the packager's recipe, and compares the checksums. */
async function proveArchive(folder: string, artefacts: readonly Listed[]): Promise<void> {
  const end = artefacts.findLast(({ type }) => type === "Release");
  if (end === undefined) return;
  const { archive } = await $`${sett} unearth ${end.id} --payload`.cwd(folder).json();
  const bytes = new Uint8Array(await $`sh -c ${archive.recipe}`.cwd(folder).arrayBuffer());
  const isSame = new Bun.CryptoHasher("sha256").update(bytes).digest("hex") === archive.sha256;
  if (!isSame)
    throw new DemoError(
      `${archive.file} made here is not the archive that the packager made.`,
      `Its recipe: ${archive.recipe}`,
    );
  console.log(
    `\n${archive.file}, made again here by the packager's recipe, has the same checksum: ${archive.sha256}`,
  );
}

function printNextCommands(folder: string, artefacts: readonly Listed[]): void {
  const own = quoted([sett]);
  const end = artefacts.at(-1)?.id ?? "";
  console.log(`
To look further:
  cd ${quoted([folder])}
  ${own} unearth ${end.slice(0, 8)}      # the last artefact
  ${own} graph --svg > /tmp/graph.svg
  ${own} watch                 # every event so far, then live
  ${own} status                # the goals, and whom they wait for
  ${own} down --volumes        # remove everything`);
}

async function demo(): Promise<void> {
  const { repo, goal, isKept, runtime } = readOptions();
  const source = repo === undefined ? undefined : await sourceRepository(repo);
  await $`${process.execPath} run .ci/build.ts`.cwd(project);
  if (runtime === "docker") await $`${process.execPath} run .ci/images.ts`.cwd(project);
  if (goal.kind === "llm") return await showModels({ isKept, runtime });
  const parent = await mkdtemp(join(tmpdir(), "sett-demo-"));
  const folder = join(parent, source === undefined ? "door" : basename(source) || "repository");
  const name = `demo-${parent.slice(-6).toLowerCase()}`;
  let isUp = false;
  try {
    await fillRepository(source, folder, goal.kind === "release" && goal.isApproved);
    console.log(
      `\n${source === undefined ? "A small repository with a history" : `A fresh clone of ${source}`}: ${folder}`,
    );
    const how = runtime === "docker" ? [] : ["--runtime", runtime];
    await need(
      folder,
      "sett",
      "up",
      "--name",
      name,
      ...how,
      "--file",
      "agents/release-train/sett.yml",
    );
    isUp = true;
    const artefacts = await release(folder, name, goal);
    await proveArchive(folder, artefacts);
    if (isKept) printNextCommands(folder, artefacts);
  } finally {
    if (!isKept || isInterrupted()) {
      if (isUp) await run(folder, "sett", "down", "--name", name, "--volumes", "--force");
      await rm(parent, { recursive: true, force: true });
    }
  }
}

try {
  await demo();
} catch (error) {
  const isExpected = error instanceof DemoError;
  console.error(isExpected ? `\ndemo: ${error.message}\n  → ${error.hint}` : error);
  process.exitCode = isExpected ? error.exitCode : 1;
}
