// A git repository of its own with the real `sett` binary in it, as a new user has it; everything
// is taken away afterwards.
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { waitFor } from "../../support/wait-for.ts";
import { type Finished, finished, needed } from "../cli/finished.ts";
import { countsLines, finishedHere, isPlain } from "../cli/sett-in-process.ts";
import { type Running, startSett } from "../cli/sett-process.ts";
import { settBinary } from "../process/compiled.ts";
import { untilWritten } from "../redis/redis-server.ts";

export class SettWorkspace implements AsyncDisposable {
  readonly folder: string;
  readonly name: string;
  /** Names what `sett` finds in its environment beside that of the tests. */
  env: Record<string, string> = {};
  /** Another release's `sett`, in place of this one's. */
  binary: string | undefined;

  private constructor(folder: string, name: string) {
    this.folder = folder;
    this.name = name;
  }

  /**
   * An empty git repository with one commit, unless `files` says more. `name` is the instance's; it
   * is unique. `prefix` begins the folder's.
   */
  static async create(
    files: Record<string, string> = {},
    { prefix = "sett-e2e-" } = {},
  ): Promise<SettWorkspace> {
    const folder = await mkdtemp(join(tmpdir(), prefix));
    const workspace = new SettWorkspace(folder, `e2e-${crypto.randomUUID().slice(0, 8)}`);
    await $`git init --quiet --initial-branch=main && git config user.name ${"Ada Lovelace"} && git config user.email ada@sett.invalid`.cwd(
      folder,
    );
    await workspace.write({ "README.md": "# A repository\n", ...files });
    await workspace.commit("Begin");
    return workspace;
  }

  /**
   * A linked worktree of this repository, on a branch of its own, for another instance. Dispose it
   * before this one.
   */
  async worktree(): Promise<SettWorkspace> {
    const folder = `${this.folder}-worktree`;
    await this.git("worktree", "add", "--quiet", folder, "-b", "worktree");
    return new SettWorkspace(folder, `e2e-${crypto.randomUUID().slice(0, 8)}`);
  }

  /** A clone of its newest commit alone, for another instance. */
  async shallowClone(): Promise<SettWorkspace> {
    const folder = `${this.folder}-shallow`;
    await $`git clone --quiet --depth=1 file://${this.folder} ${folder}`;
    await $`git config user.name ${"Ada Lovelace"} && git config user.email ada@sett.invalid`.cwd(
      folder,
    );
    return new SettWorkspace(folder, `e2e-${crypto.randomUUID().slice(0, 8)}`);
  }

  /** Writes files; scripts become executable. */
  async write(files: Record<string, string>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      if (content.startsWith("#!")) await chmod(file, 0o755);
    }
  }

  async commit(subject: string): Promise<string> {
    await $`git add -A && git commit --quiet --allow-empty -m ${subject}`.cwd(this.folder);
    return this.git("rev-parse", "HEAD");
  }

  async git(...words: string[]): Promise<string> {
    return (await $`git ${words}`.cwd(this.folder).text()).trim();
  }

  /**
   * Runs `sett` to its end: the real binary, or its sources in this process where lines are to be
   * counted (`just coverage`).
   */
  async sett(...words: string[]): Promise<Finished> {
    if (countsLines && this.binary === undefined) return await this.#here(words);
    const child = Bun.spawn([this.binary ?? settBinary, ...words], {
      ...{ cwd: this.folder, env: { ...process.env, ...this.env } },
      ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
    });
    return finished(child);
  }

  /** Begins `sett`: for what is asked or ended in its midst. */
  start(...words: string[]): Running {
    return startSett(words, { cwd: this.folder, env: { ...process.env, ...this.env } });
  }

  /** As `sett`, in this process: for what is asked again and again. */
  async look(...words: string[]): Promise<Finished> {
    return this.binary === undefined ? await this.#here(words) : await this.sett(...words);
  }

  #here(words: readonly string[]): Promise<Finished> {
    return finishedHere(words, { cwd: this.folder, env: { ...process.env, ...this.env } });
  }

  /**
   * What `sett` gives a test that is about something else; plain commands run in this process.
   * Throws what it said when its exit code is not 0.
   */
  async need(...words: string[]): Promise<string> {
    return needed(words, await (isPlain(words) ? this.look(...words) : this.sett(...words)));
  }

  async up(): Promise<void> {
    await this.need("up", "--name", this.name);
  }

  /** States a goal and returns its id. */
  async forage(goal: string): Promise<string> {
    return (await this.need("forage", "--goal", goal)).trim();
  }

  /**
   * What only reads is asked again where Redis has not answered for once: others may keep the
   * machine busy for that long.
   */
  async #read(...words: string[]): Promise<string> {
    for (let tries = 1; ; tries++) {
      const done = await this.look(...words);
      if (tries === 3 || !done.err.includes("Redis does not answer")) return needed(words, done);
    }
  }

  async artefacts(goal: string): Promise<Artefact[]> {
    return JSON.parse(await this.#read("hoard", "--json", "--goal", goal));
  }

  async events(goal: string): Promise<SettEvent[]> {
    const lines = await this.#read("watch", "--no-follow", "-o", "jsonl", "--goal", goal);
    return lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }

  /** Ids of containers, networks and volumes that carry the instance's label. */
  async leftOvers(): Promise<string[]> {
    const label = `label=dev.sett.instance=${this.name}`;
    const [containers, networks, volumes] = await Promise.all([
      $`docker ps -aq --filter ${label}`.text(),
      $`docker network ls -q --filter ${label}`.text(),
      $`docker volume ls -q --filter ${label}`.text(),
    ]);
    return [containers, networks, volumes].flatMap((text) =>
      text.split("\n").filter((line) => line !== ""),
    );
  }

  /** Ends the first process of a part's container as a crash would, once there is one. */
  async kill(part: string): Promise<void> {
    const pid = await waitFor(`${part} to run`, async () => {
      const { stdout } =
        await $`docker inspect --format ${"{{.State.Pid}}"} sett-${this.name}-${part}`
          .quiet()
          .nothrow();
      // 0 means a container that does not run, and to `kill` our own process group.
      return Number(stdout.toString()) || undefined;
    });
    process.kill(pid, "SIGKILL");
  }

  /** Ends its Redis as a crash would, once its file has what it acknowledged. */
  async killRedis(): Promise<void> {
    await untilWritten(["docker", "exec", `sett-${this.name}-redis`, "redis-cli"]);
    await this.kill("redis");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#here(["down", "--name", this.name, "--volumes", "--force", "--timeout", "1s"]);
    for (const id of await this.leftOvers())
      await $`docker rm -f ${id} || docker network rm ${id} || docker volume rm ${id}`
        .quiet()
        .nothrow();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * A `sett.yml` whose agents all run `/app/run.sh` of `sett/agent-base`; each entry gives an agent's
 * own lines, indented by four. `SETT_TEST_ISOLATION=gvisor` gives all agents that kernel. Unless
 * `top` says how long a lease is, it outlasts what a busy machine, or a command beside the cub,
 * keeps it from renewing.
 */
export function settYml(agents: Record<string, string>, top = ""): string {
  const isolation = process.env.SETT_TEST_ISOLATION;
  const entries = Object.entries(agents).map(
    ([name, lines]) =>
      `  ${name}:\n    build: { context: ./agents/${name} }\n    command: ["/app/run.sh"]\n${lines}`,
  );
  const kernel = isolation === undefined ? "" : `isolation: ${isolation}\n`;
  const limited = /^limits: \{/m.test(top) ? top : `${top}limits: { }\n`;
  const patient = limited.replace(/^limits: \{(?!.*\blease:)/m, "limits: { lease: 10m,");
  return `version: '1.0'\n${kernel}${patient}agents:\n${entries.join("")}`;
}

/** The files of an agent that is one shell script. */
export function scriptAgent(name: string, script: string): Record<string, string> {
  return {
    [`agents/${name}/Dockerfile`]: "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n",
    [`agents/${name}/run.sh`]: `#!/bin/sh\n${script}`,
  };
}
