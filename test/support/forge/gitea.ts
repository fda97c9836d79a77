// A real Gitea of the test's own, where one was built: with its admin, a person, the account of
// Sett, and repositories as tests want them.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { git } from "../git/sample-repository.ts";
import { freePort } from "../redis/redis-server.ts";
import { waitFor } from "../wait-for.ts";

const version = "1.26.0";
const home = homedir();
const program = process.env.SETT_TEST_GITEA ?? join(home, `.cache/forge-${version}/forge`);
/** Its templates, which the program does not carry. */
const source =
  process.env.SETT_TEST_GITEA_SOURCE ?? join(home, `go/pkg/mod/code.gitea.io/gitea@v${version}`);
export const hasGitea = existsSync(program) && existsSync(source);

const password = "not-a-secret-1";
const person = "Ada-L";
const bot = "sett-bot";

export class Gitea implements AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  token = "";
  readonly #program: ChildProcess;
  #repositories = 0;

  private constructor(url: string, folder: string) {
    this.url = url;
    this.folder = folder;
    this.#program = spawn(program, ["web", "--config", join(folder, "app.ini")], {
      stdio: "ignore",
    });
  }

  static async start(): Promise<Gitea> {
    const folder = mkdtempSync(join(tmpdir(), "sett-gitea-"));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    writeFileSync(join(folder, "app.ini"), settingsFor(folder, port));
    const gitea = new Gitea(url, folder);
    await waitFor(
      "the forge to answer",
      async () => {
        if (gitea.#program.exitCode !== null) throw new Error("The forge has ended.");
        return (await fetch(`${url}/api/healthz`).catch(() => undefined))?.ok === true;
      },
      { timeoutMs: 120_000, everyMs: 200 },
    );
    const admin = ["admin", "user", "create", "--config", join(folder, "app.ini"), "--admin"];
    const account = ["--username", "boss", "--password", password, "--email", "boss@h.invalid"];
    execFileSync(program, [...admin, ...account, "--must-change-password=false"]);
    for (const username of [person, bot])
      await gitea.as("boss", "POST", "/admin/users", {
        ...{ username, password, email: `${username}@h.invalid`, must_change_password: false },
      });
    const scopes = ["write:repository", "write:issue"];
    const made = await gitea.as(bot, "POST", `/users/${bot}/tokens`, { name: "sett", scopes });
    gitea.token = String(made.sha1);
    return gitea;
  }

  /** A request of a person. Throws what the forge refuses. */
  async as(user: string, method: string, path: string, body?: object) {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Basic ${btoa(`${user}:${password}`)}`,
        "content-type": "application/json",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? {} : JSON.parse(text);
  }

  /** A repository of the person in which Sett may write. */
  async repository() {
    const name = `door-${++this.#repositories}`;
    await this.as(person, "POST", "/user/repos", { name, default_branch: "main" });
    const repository = `${person}/${name}`;
    const path = `/repos/${repository}`;
    await this.as(person, "PUT", `${path}/collaborators/${bot}`, { permission: "write" });
    const file = { kind: "gitea" as const, url: this.url, repository, token: "key" };
    const pushUrl = `${this.url.replace("//", `//${person}:${password}@`)}/${repository}.git`;
    return {
      real: { file, token: this.token },
      /** A request of the person, or of another user, about the repository. */
      ask: async (method: string, part: string, body?: object, user = person) =>
        await this.as(user, method, `${path}${part}`, body),
      push: (from: string, what: string) => void git(from, "push", "--quiet", pushUrl, what),
      branch: (from: string, branch: string): string | undefined =>
        git(from, "ls-remote", pushUrl, `refs/heads/${branch}`).slice(0, 40) || undefined,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#program.once("exit", resolve));
    this.#program.kill("SIGKILL");
    if (this.#program.exitCode === null) await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function settingsFor(folder: string, port: number): string {
  return `I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
WORK_PATH = ${folder}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
STATIC_ROOT_PATH = ${source}
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = ${folder}/forge.db
SQLITE_JOURNAL_MODE = WAL
[security]
INSTALL_LOCK = true
SECRET_KEY = a-key-of-this-test-alone
INTERNAL_TOKEN = ${secret("INTERNAL_TOKEN")}
PASSWORD_HASH_ALGO = pbkdf2_v1
[repository]
ROOT = ${folder}/repositories
[service]
DISABLE_REGISTRATION = true
[indexer]
ISSUE_INDEXER_TYPE = db
[actions]
ENABLED = false
[cron]
ENABLED = false
[log]
LEVEL = warn
`;
}

function secret(kind: string): string {
  return execFileSync(program, ["generate", "secret", kind], { encoding: "utf8" }).trim();
}
