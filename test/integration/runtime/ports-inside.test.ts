// A port of a container that its Engine publishes nowhere, and a folder that it sees.
import { expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);

test("is reached through the Engine: many at once, much in both directions, and nothing stays", async () => {
  await using at = await dockerInstance();
  const { observe } = at.runtime;
  const { id } = await at.run("exec redis-server --save '' --proto-max-bulk-len 64mb", {
    ...{ name: at.name("redis"), labels: at.labels({ component: "redis" }) },
    ...{ image: "sett/redis:latest", ports: [{ port: 6379, isInside: true }] },
  });
  const ports = (await observe.find(id))?.ports ?? [];
  const ledBy = expect.stringContaining("the Docker Engine at ");
  expect(ports).toEqual([{ port: 6379, hostPort: expect.any(Number), ledBy }]);
  expect((await observe.find(id))?.ports).toEqual(ports);
  const open = async () => {
    const socket = connect({ host: "127.0.0.1", port: ports[0]?.hostPort ?? 0 });
    await once(socket, "connect");
    return socket;
  };
  /** Redis says the same bytes again. */
  const echo = async (bytes: Buffer): Promise<boolean> => {
    const socket = await open();
    const length = `$${bytes.length}\r\n`;
    socket.write(`*2\r\n$4\r\nECHO\r\n${length}`);
    socket.write(bytes);
    socket.write("\r\n");
    const answer: Buffer[] = [];
    let left = length.length + bytes.length + 2;
    try {
      for await (const piece of socket as AsyncIterable<Buffer>) {
        answer.push(piece);
        left -= piece.length;
        if (left <= 0) break;
      }
    } catch {
      return false;
    }
    return Buffer.concat(answer).toString("latin1") === `${length}${bytes.toString("latin1")}\r\n`;
  };
  await waitFor("Redis to listen", () => echo(Buffer.from("?")));
  expect(await echo(Buffer.alloc(4 * 1024 * 1024, "0123456789\0\r\n"))).toBe(true);
  const words = Array.from({ length: 8 }, (_, index) => Buffer.from(`hello ${index}`));
  expect(await Promise.all(words.map(echo))).toEqual(words.map(() => true));
  await waitFor("the commands inside to end", async () => {
    const script =
      'for each in /proc/[0-9]*; do read -r _ name _ < "$each/stat" && echo "$name"; done';
    return !(await observe.exec(id, ["sh", "-c", script])).stdout.includes("(nc");
  });
});

test("a folder of this machine is seen by its own Engine, and the trial leaves nothing", async () => {
  await using at = await dockerInstance();
  // The image of the cub is there, as for each lock.
  const folder = await mkdtemp(join(tmpdir(), "sett-folder-"));
  try {
    const labels = at.labels({ component: "network" });
    expect(await at.runtime.engine.seesFolder(folder, labels)).toBe(true);
    expect(await at.runtime.engine.opensFiles(1_024, labels)).toBe(true);
    expect(await readdir(folder)).toEqual([]);
    expect((await at.runtime.observe.parts(at.instance)).containers).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
