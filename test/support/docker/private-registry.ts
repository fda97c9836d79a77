// A registry that gives its images only to one account, from Debian's package.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { docker, tinyImage } from "./tiny-image.ts";

export const account = { username: "ada", password: "s3cret:with-colon" };

/**
 * `host`: with its port; the Engine takes one of this machine without TLS. `image`: a copy of the
 * tiny image, which the Engine does not have. `login`: the environment of a person who has logged
 * in.
 */
export async function privateRegistry() {
  const folder = await mkdtemp(join(tmpdir(), "sett-registry-"));
  const hash = await Bun.password.hash(account.password, { algorithm: "bcrypt", cost: 4 });
  await writeFile(join(folder, "users"), `${account.username}:${hash}\n`);
  const settings = {
    version: "0.1",
    storage: { filesystem: { rootdirectory: join(folder, "data") } },
    http: { addr: "127.0.0.1:0" },
    auth: { htpasswd: { realm: "sett", path: join(folder, "users") } },
  };
  await writeFile(join(folder, "settings.yml"), JSON.stringify(settings));
  const registry = Bun.spawn(["docker-registry", "serve", join(folder, "settings.yml")], {
    stdout: "ignore",
    stderr: "pipe",
  });
  const host = `127.0.0.1:${await portIn(registry.stderr)}`;
  const image = `${host}/team/base:1`;
  const login = await configOf(folder, "login", {
    auths: { [host]: { auth: btoa(`${account.username}:${account.password}`) } },
  });
  await docker("tag", tinyImage, image);
  const pushed = await docker("--config", join(folder, "login"), "push", image);
  if (pushed.exitCode !== 0) throw new Error(pushed.stderr);
  await docker("rmi", image);
  return {
    host,
    image,
    login,
    /** The environment of a person whose docker has these settings. */
    config: (name: string, settings: object) => configOf(folder, name, settings),
    folder,
    async [Symbol.asyncDispose]() {
      registry.kill();
      await registry.exited;
      await docker("rmi", image).catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function configOf(folder: string, name: string, settings: object) {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, "config.json"), JSON.stringify(settings));
  return { DOCKER_CONFIG: join(folder, name) };
}

/** It is read to its end: the registry ends itself where what it says is not read. */
async function portIn(lines: ReadableStream<Uint8Array>): Promise<string> {
  return await new Promise((resolve, reject) => {
    let text = "";
    const read = async () => {
      for await (const piece of lines) {
        text += new TextDecoder().decode(piece);
        const [, port] = /listening on [^ "]*:(\d+)/.exec(text) ?? [];
        if (port !== undefined) resolve(port);
      }
    };
    read().then(() => reject(new Error(`The registry has not begun: ${text}`)), reject);
  });
}
