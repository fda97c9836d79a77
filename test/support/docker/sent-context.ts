// Shows what the docker command line sends to an Engine for a build: an Engine's address that keeps
// the archive and builds nothing.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type ContextRecorder = AsyncDisposable & {
  /**
   * The names of the files and links that `docker build` without BuildKit sends, sorted; undefined
   * where it refuses.
   */
  sentBy(folder: string): Promise<string[] | undefined>;
};

export async function contextRecorder(): Promise<ContextRecorder> {
  const place = await mkdtemp(join(tmpdir(), "sett-recorder-"));
  const socket = join(place, "docker.sock");
  let archive: ArrayBuffer | undefined;
  const server = Bun.serve({
    unix: socket,
    async fetch(request) {
      if (new URL(request.url).pathname.endsWith("/build")) {
        archive = await request.arrayBuffer();
        return new Response('{"stream":"kept"}\n', {
          headers: { "Content-Type": "application/json" },
        });
      }
      return new Response("OK", {
        headers: { "Api-Version": "1.41", "Builder-Version": "1", Ostype: "linux" },
      });
    },
  });
  return {
    async sentBy(folder) {
      archive = undefined;
      const env = { ...process.env, DOCKER_HOST: `unix://${socket}`, DOCKER_BUILDKIT: "0" };
      const child = Bun.spawn(["docker", "build", "."], {
        cwd: folder,
        env,
        stdout: "ignore",
        stderr: "ignore",
      });
      return (await child.exited) === 0 && archive !== undefined
        ? await filesIn(archive)
        : undefined;
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      await rm(place, { recursive: true });
    },
  };
}

/** Folders are left out. */
export async function filesIn(archive: ArrayBuffer): Promise<string[]> {
  const list = ["tar", "--list", "--verbose", "--quoting-style=literal"];
  const tar = Bun.spawn(list, { stdin: new Blob([archive]), stdout: "pipe" });
  const lines = (await new Response(tar.stdout).text()).split("\n");
  // Type and mode, owner, size, date, time, name.
  return lines
    .flatMap((line) => /^[^d]\S+ +\S+ +\d+ \S+ \S+ (.*?)(?: -> .*)?$/.exec(line)?.[1] ?? [])
    .sort();
}
