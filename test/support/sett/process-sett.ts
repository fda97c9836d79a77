// A repository of its own whose sett runs without Docker, with the real `sett` binary; all of it is
// ended and removed at the end.
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { identify, type ProcessId } from "../../../lib/process/process-id.ts";
import { readState } from "../../../lib/runtime/process/registry.ts";
import { type Finished, finished, needed } from "../cli/finished.ts";
import { asksService, finishedHere, isPlain } from "../cli/sett-in-process.ts";
import { settBinary } from "../process/compiled.ts";

export class ProcessSett implements AsyncDisposable {
  readonly folder: string;
  readonly name: string;
  /**
   * Everything of this test is below it; what it starts has it as its home, and is found by that.
   */
  readonly root: string;
  /** Names what `sett` finds in its environment beside what it needs. */
  env: Record<string, string> = {};

  private constructor(root: string) {
    this.root = root;
    this.folder = join(root, "repository");
    this.name = `e2e-${crypto.randomUUID().slice(0, 8)}`;
  }

  /**
   * A repository with one commit: `settings` as its sett.yml, and other files. Scripts become
   * executable.
   */
  static async create(settings: string, files: Record<string, string> = {}): Promise<ProcessSett> {
    const sett = new ProcessSett(await realpath(await mkdtemp(join(tmpdir(), "sett-e2e-"))));
    await $`git init --quiet --initial-branch=main ${sett.folder}`;
    await $`git config user.name ${"Ada Lovelace"} && git config user.email ada@sett.invalid`.cwd(
      sett.folder,
    );
    for (const [path, content] of Object.entries({ ...files, "sett.yml": settings })) {
      const file = join(sett.folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content, { mode: content.startsWith("#!") ? 0o755 : 0o644 });
    }
    await $`git add -A && git commit --quiet -m Begin`.cwd(sett.folder);
    return sett;
  }

  /** Commits other settings. */
  async write(settings: string): Promise<void> {
    await writeFile(join(this.folder, "sett.yml"), settings);
    await $`git add -A && git commit --quiet -m Change`.cwd(this.folder);
  }

  get environment(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "",
      HOME: this.root,
      XDG_STATE_HOME: join(this.root, "state"),
      DOCKER_HOST: `unix://${join(this.root, "no-engine.sock")}`,
      ...(process.env.TMPDIR === undefined ? {} : { TMPDIR: process.env.TMPDIR }),
      ...this.env,
    };
  }

  /** The folder in which its processes and what they have said are kept. */
  get state(): string {
    return join(this.root, "state/sett");
  }

  placeOf(part: string): string {
    return join(this.state, "names", `sett-${this.name}-${part}`);
  }

  /**
   * The process that runs as this part, not its supervisor; undefined while it is started again.
   */
  processOf(part: string): ProcessId | undefined {
    const state = readState(this.placeOf(part));
    return state?.state === "running" ? state.child : undefined;
  }

  /** Command lines of what was started here and runs on. */
  stillRunning(): string[] {
    const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
    return pids.flatMap((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/environ`, "utf8")
          .split("\0")
          .includes(`HOME=${this.root}`);
        return isOurs && identify(Number(pid)) !== undefined
          ? [readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim()]
          : [];
      } catch {
        return [];
      }
    });
  }

  async git(...words: string[]): Promise<string> {
    return (await $`git ${words}`.cwd(this.folder).text()).trim();
  }

  start(...words: string[]) {
    const options = {
      cwd: this.folder,
      env: this.environment,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    } as const;
    return Bun.spawn([settBinary, ...words], options);
  }

  async sett(...words: string[]): Promise<Finished> {
    return finished(this.start(...words));
  }

  /** As `sett`, in this process: for what is asked again and again. */
  look(...words: string[]): Promise<Finished> {
    return finishedHere(words, { cwd: this.folder, env: this.environment });
  }

  /**
   * What `sett` gives a test that is about something else; plain commands run in this process.
   * Throws what it said when its exit code is not 0.
   */
  async need(...words: string[]): Promise<string> {
    const isHere = isPlain(words) && !asksService(words);
    return needed(words, await (isHere ? this.look(...words) : this.sett(...words)));
  }

  async up(): Promise<string> {
    return await this.need("up", "--runtime", "process", "--name", this.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.look("down", "--name", this.name, "--volumes", "--force", "--timeout", "1s");
    await rm(this.root, { recursive: true, force: true });
  }
}

/**
 * An agent that answers the same to everything that it takes; what comes of a goal that says `wait`
 * it never ends.
 */
export function answering(name: string, answer: object, more = ""): string {
  const script = `case $(cat) in *'context_chain":[{'*'"payload":"wait"'*) exec sleep 600;; esac; echo '${JSON.stringify(answer)}'`;
  const command = JSON.stringify(["sh", "-c", script]);
  return `  ${name}:\n    image: none:1\n    command: ${command}\n${more}`;
}
