// A witness of another project, litewitness of filippo.io/torchwood, with a key in an ssh-agent.
import { Database } from "bun:sqlite";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildForTests } from "../../../.ci/go.ts";
import { waitFor } from "../wait-for.ts";

export class Litewitness implements AsyncDisposable {
  readonly url: string;
  /** Its form is that of a policy. */
  readonly key: string;
  readonly #folder: string;
  readonly #children: ChildProcess[];

  private constructor(folder: string, children: ChildProcess[], at: { url: string; key: string }) {
    this.#folder = folder;
    this.#children = children;
    this.url = at.url;
    this.key = at.key;
  }

  /** It knows the log of this verifier key. */
  static async start(logKey: string): Promise<Litewitness> {
    const program = await buildForTests("witness");
    const folder = await mkdtemp(join(tmpdir(), "sett-witness-"));
    const [socket, key] = [join(folder, "agent"), join(folder, "key")];
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
    await waitFor("an ssh-agent", () => existsSync(socket));
    const env = { ...process.env, SSH_AUTH_SOCK: socket };
    execFileSync("ssh-add", ["-q", key], { env, stdio: "ignore" });
    const [, print = ""] = execFileSync("ssh-keygen", ["-l", "-f", key]).toString().split(" ");
    const listen = `127.0.0.1:${await freePort()}`;
    const named = ["-name", "witness.example", "-key", print, "-ssh-agent", socket];
    const witness = spawn(program, [...named, "-db", "db", "-listen", listen], { cwd: folder });
    let log = "";
    witness.stderr.on("data", (chunk) => {
      log += chunk;
    });
    const own = await waitFor("the key of a witness", () =>
      /(?<=vkey=)\S+/.exec(log.replaceAll('"', ""))?.at(0),
    );
    const url = `http://${listen}`;
    await waitFor("a witness", () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
    // Its own tool does the same, and does not build.
    using db = new Database(join(folder, "db"));
    const [origin = ""] = logKey.split("+");
    const empty = createHash("sha256").digest("base64");
    db.run("INSERT INTO log (origin, tree_size, tree_hash) VALUES (?, 0, ?)", [origin, empty]);
    const started = new Litewitness(folder, [witness, agent], { url, key: own });
    started.learn(logKey);
    return started;
  }

  /** It takes this key of the log as well. */
  learn(logKey: string): void {
    using db = new Database(join(this.#folder, "db"));
    const [origin = ""] = logKey.split("+");
    db.run("INSERT INTO key (origin, key) VALUES (?, ?)", [origin, logKey]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return port ?? 0;
}
