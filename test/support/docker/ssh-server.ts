// A real sshd for one test, and the `ssh` of a person whose configuration knows it. It listens
// nowhere: each ssh starts one, as inetd would.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";

const server = Bun.which("sshd", { PATH: `${process.env.PATH}:/usr/sbin` });

/** Only root may start one that others log in to. */
export const canStartSsh = process.getuid?.() === 0 && server !== null && Bun.which("ssh") !== null;

export type SshServer = AsyncDisposable & {
  /** The Engine behind it. */
  host: string;
  /** The variables of a person whose ssh knows it. */
  env: Record<string, string>;
  /** From now on it has another host key than the one that is known. */
  changeKey(): Promise<void>;
  /** From now on it takes no key of this person's. */
  refuseKey(): Promise<void>;
  /** From now on its machine takes a connection and says nothing. */
  fallSilent(): Promise<void>;
  /** The connections that are open answer nothing, and end when the result is disposed of. */
  freeze(): Promise<Disposable>;
  /** Ends all connections that are open. */
  cut(): Promise<void>;
  /** How many there were. */
  connections(): Promise<number>;
};

/**
 * `within`: the words with which a program begins that is to run where the Engine is. `more`: of
 * the settings of sshd. `own`: of those of the person's ssh.
 */
export async function startSshServer(
  engine: string,
  within: () => readonly string[] = () => [],
  more: Record<string, string> = {},
  own: Record<string, string> = {},
): Promise<SshServer> {
  const folder = await mkdtemp(join(tmpdir(), "sett-sshd-"));
  const at = (name: string) => join(folder, name);
  const makeKey = async (name: string) => {
    await rm(at(name), { force: true });
    await $`ssh-keygen -q -t ed25519 -N "" -f ${at(name)}`.quiet();
    return (await readFile(at(`${name}.pub`), "utf8")).trim();
  };
  const [hostKey, ownKey] = [await makeKey("host"), await makeKey("own")];
  await mkdir("/run/sshd", { recursive: true, mode: 0o755 });
  await mkdir(at("pids"));
  await mkdir(at("bin"));
  await writeFile(at("authorized"), `${ownKey}\n`, { mode: 0o600 });
  await writeFile(at("known"), `build ${hostKey}\n`);
  const settings = {
    ...{ HostKey: at("host"), AuthorizedKeysFile: at("authorized"), PidFile: "none" },
    ...{ StrictModes: "no", UsePAM: "no", PasswordAuthentication: "no" },
    ...{ KbdInteractiveAuthentication: "no", SetEnv: `DOCKER_HOST=${engine}` },
    ...more,
  };
  const lines = (all: Record<string, string>) =>
    Object.entries(all)
      .map((pair) => `${pair.join(" ")}\n`)
      .join("");
  await writeFile(at("sshd_config"), lines(settings));
  const program = async (name: string, text: string) => {
    await writeFile(at(name), `#!/bin/sh\n${text}\n`);
    await chmod(at(name), 0o755);
  };
  const place = within();
  const sshd = `${place.join(" ")} ${server} -i -f ${at("sshd_config")} -E ${at("log")}`;
  await program("connect", `echo $$ > ${at("pids")}/$$; exec ${sshd}`);
  const client = {
    ...{ HostKeyAlias: "build", User: "root", IdentityFile: at("own"), IdentitiesOnly: "yes" },
    ...{ UserKnownHostsFile: at("known"), ProxyCommand: at("connect"), ...own },
  };
  await writeFile(at("config"), `Host build\n${lines(client)}`);
  await program("bin/ssh", `exec ${Bun.which("ssh")} -F ${at("config")} "$@"`);
  const pids = async () => (await readdir(at("pids"))).map(Number);
  return {
    host: "ssh://build",
    env: { DOCKER_HOST: "ssh://build", PATH: `${at("bin")}:${process.env.PATH}` },
    changeKey: async () => void (await makeKey("host")),
    refuseKey: async () => await writeFile(at("authorized"), ""),
    fallSilent: async () => await program("connect", `echo $$ > ${at("pids")}/$$; exec sleep 600`),
    freeze: async () => {
      const children = async (pid: number) =>
        (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).match(/\d+/g)?.map(Number) ??
        [];
      const all = await pids();
      const frozen = [...all, ...(await Promise.all(all.map(children))).flat()];
      for (const pid of frozen) process.kill(pid, "SIGSTOP");
      return {
        [Symbol.dispose]: () => {
          // A connection that went on would outlive the test, and nothing is at its other end.
          for (const pid of frozen) process.kill(pid, "SIGKILL");
        },
      };
    },
    cut: async () => {
      for (const pid of await pids()) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It has ended before.
        }
      }
    },
    connections: async () => (await pids()).length,
    [Symbol.asyncDispose]: async () => {
      await rm(folder, { recursive: true, force: true });
    },
  };
}
