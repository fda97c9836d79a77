// A git repository and a Redis, with the environment that joins the two for `sett`.
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { patient, type RedisServer, startRedisServer } from "../redis/redis-server.ts";
import { type Finished, needed } from "./finished.ts";
import { type Running, runSett, startSett } from "./sett-process.ts";

const instance = InstanceName.parse("demo");

export class Workspace implements AsyncDisposable {
  readonly folder: string;
  readonly redis: RedisServer;

  private constructor(folder: string, redis: RedisServer) {
    this.folder = folder;
    this.redis = redis;
  }

  /** One commit, by Ada Lovelace; nothing on the blackboard. */
  static async create(): Promise<Workspace> {
    const [folder, redis] = await Promise.all([
      realpath(await mkdtemp(join(tmpdir(), "sett-cli-"))),
      startRedisServer(),
    ]);
    const workspace = new Workspace(folder, redis);
    await $`git init --quiet --initial-branch=main && git config user.name ${"Ada Lovelace"} && git config user.email ada@sett.invalid`.cwd(
      folder,
    );
    await workspace.commit("README.md", "# A repository\n");
    return workspace;
  }

  get env(): Record<string, string> {
    return { REDIS_URL: this.redis.url, SETT_INSTANCE_NAME: instance };
  }

  board() {
    return connectBlackboard({ url: this.redis.url, instance, ...patient });
  }

  async commit(path: string, content: string): Promise<string> {
    await writeFile(join(this.folder, path), content);
    await $`git add -A && git commit --quiet -m ${`Write ${path}`}`.cwd(this.folder);
    return await this.git("rev-parse", "HEAD");
  }

  async git(...words: string[]): Promise<string> {
    return (await $`git ${words}`.cwd(this.folder).text()).trim();
  }

  sett(...words: string[]): Promise<Finished> {
    return runSett(words, { cwd: this.folder, env: this.env });
  }

  /** Returns what it wrote to stdout; throws unless its exit code is 0. */
  async need(...words: string[]): Promise<string> {
    return needed(words, await this.sett(...words));
  }

  start(...words: string[]): Running {
    return startSett(words, { cwd: this.folder, env: this.env });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.redis[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}
