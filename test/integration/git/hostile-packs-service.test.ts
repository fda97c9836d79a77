// The service of packs among agents that mean no good, and where it is in trouble itself.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { chmod, link, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PacksClient, PacksRefused } from "../../../lib/git/packs/packs-client.ts";
import { StoreCopy } from "../../../lib/git/packs/store-copy.ts";
import { AgentName, CommitHash } from "../../../lib/model/ids.ts";
import { mountSmallDisk } from "../../chaos/small-disk.ts";
import { errorOf } from "../../support/error-of.ts";
import { type ServedPacks, servePacks } from "../../support/git/served-packs.ts";
import { waitFor } from "../../support/wait-for.ts";

const [one, other, viewer] = ["one", "other", "viewer"].map((name) => AgentName.parse(name)) as [
  AgentName,
  AgentName,
  AgentName,
];
const commit = CommitHash.parse("1".repeat(40));
const mebibyte = 1024 ** 2;

let root: string;
let packs: ServedPacks;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "sett-packs-"));
  packs = await servePacks(root, [one, other], {
    shelves: new Map([
      [one, 3 * mebibyte],
      [other, 3 * mebibyte],
    ]),
    maxPackBytes: 2 * mebibyte,
    readers: [viewer],
  });
});

afterAll(async () => {
  await packs[Symbol.asyncDispose]();
  await rm(root, { recursive: true });
});

/** The service ends a connection behind a refusal, which the next call may meet. */
const patienceMs = 10_000;
const clientOf = (agent: AgentName, of = packs, patience = patienceMs) =>
  new PacksClient(async () => of.socketOf(agent), { patienceMs: patience });
const host = (of = packs) => new PacksClient(async () => of.host, { patienceMs });
async function file(content: string | Uint8Array): Promise<string> {
  const path = join(root, crypto.randomUUID());
  await writeFile(path, content);
  return path;
}
const statusOf = async (job: Promise<unknown>) => {
  const error = await errorOf(job);
  return error instanceof PacksRefused ? error.status : error;
};
const onShelves = (of = packs) =>
  readdirSync(join(of.folder, "shelves"), { recursive: true }).sort();
const incoming = (of = packs) => readdirSync(join(of.folder, "incoming"));

test("callers that go in the middle leave no file open, and are no trouble of the service", async () => {
  await clientOf(one).publish(commit, await file(new Uint8Array(mebibyte)));
  const path = packs.socketOf(viewer).url.slice("unix:".length);
  const requests = [
    `GET /shelves/${commit}/one HTTP/1.1\r\nhost: x\r\n\r\n`,
    `PUT /store HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf`,
  ];
  for (const text of Array.from({ length: 200 }, () => requests).flat()) {
    const socket = connect(path);
    socket.write(text, () => setImmediate(() => socket.destroy()));
    await once(socket, "close");
  }
  const upload = connect(packs.socketOf(one).url.slice("unix:".length));
  const head = `PUT /shelves/${"2".repeat(40)} HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n`;
  upload.write(`${head}half`);
  await waitFor("the upload to begin", () => incoming().length === 1);
  upload.destroy();
  await waitFor("the upload to be forgotten", () => incoming().length === 0);
  const openPacks = () =>
    readdirSync("/proc/self/fd").filter((fd) => linkOf(`/proc/self/fd/${fd}`).endsWith(".pack"));
  await waitFor("all files to be closed", () => openPacks().length === 0);
  expect(packs.errors).toEqual([]);
  await host().remove(one, commit);
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

test("a shelf is its agent's alone, and what is on it stays", async () => {
  const published = await clientOf(one).publish(commit, await file("good"));
  // The same bytes again are no change.
  expect([published, await clientOf(one).publish(commit, await file("good"))]).toEqual([
    true,
    true,
  ]);
  expect(await clientOf(one).publish(commit, await file("other bytes"))).toBe(false);
  expect(await clientOf(other).publish(commit, await file("another's"))).toBe(true);
  expect(await statusOf(clientOf(other).remove(one, commit))).toBe(403);
  expect(await statusOf(clientOf(viewer).publish(commit, await file("a reader's")))).toBe(403);
  expect(readFileSync(join(packs.folder, `shelves/one/${commit}.pack`), "utf8")).toBe("good");
  expect(onShelves()).toEqual(["one", `one/${commit}.pack`, "other", `other/${commit}.pack`]);
  for (const agent of [one, other]) await host().remove(agent, commit);
});

test("an agent does not change what the host shows", async () => {
  const sha256 = new Bun.CryptoHasher("sha256").update("evil").digest("hex");
  expect(await statusOf(clientOf(one).putFile(sha256, await file("evil")))).toBe(403);
  expect(await statusOf(clientOf(one).putList({ files: [] }, undefined))).toBe(403);
  expect(await statusOf(host().putFile(sha256, await file("not that")))).toBe(422);
  const missing = { path: "pack/pack-1.pack", bytes: 4, sha256 };
  expect(await statusOf(host().putList({ files: [missing] }, undefined))).toBe(422);
  const above = { ...missing, path: "pack/../../evil" };
  expect(await statusOf(host().putList({ files: [above] }, undefined))).toBe(500);
  expect(readdirSync(join(packs.folder, "files"))).toEqual([]);
});

test.each([
  "GET /shelves/../../../etc/passwd",
  `PUT /shelves/..%2f..%2fone`,
  `GET /files/${"0".repeat(63)}`,
  `GET /shelves/${commit}/..`,
  "GET /shelves/x/one/two",
  "POST /store",
])("nothing but its own names leads anywhere: %s", async (line) => {
  const answer = await raw(`${line} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`);
  expect(answer).toStartWith("HTTP/1.1 404");
});

/** Resolves with what the service of `one` answers to these bytes, until it ends the connection. */
async function raw(text: string, end = true): Promise<string> {
  const socket = connect(packs.socketOf(one).url.slice("unix:".length));
  const chunks: Uint8Array[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(text);
  if (end) await waitFor("an answer", async () => chunks.length > 0);
  socket.destroy();
  return Buffer.concat(chunks).toString();
}

test("what is too large is refused before it is read, and so is what has no room on the shelf", async () => {
  const [tooLarge, full] = ["2", "3"].map((digit) => CommitHash.parse(digit.repeat(40)));
  const limit = await errorOf(
    clientOf(one).publish(tooLarge as CommitHash, await file(new Uint8Array(2 * mebibyte + 1))),
  );
  expect(limit).toMatchObject({
    status: 413,
    message: `The pack of ${tooLarge} has 2097153 bytes, and no more than 2097152 are taken.`,
  });
  await clientOf(one).publish(commit, await file(new Uint8Array(2 * mebibyte)));
  const room = await errorOf(
    clientOf(one).publish(full as CommitHash, await file(new Uint8Array(2 * mebibyte))),
  );
  expect(room).toMatchObject({
    status: 507,
    message: expect.stringContaining("`sett hoard` fetches results into the repository"),
  });
  await host().remove(one, commit);
  expect(await clientOf(one).publish(full as CommitHash, await file("some"))).toBe(true);
  await host().remove(one, full as CommitHash);
});

test("half an upload is nothing", async () => {
  const head = `PUT /shelves/${commit} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n`;
  await raw(head + "x".repeat(500), false);
  await waitFor("it to be forgotten", async () => incoming().length === 0);
  expect(await host().packs()).toEqual([]);
  expect(await clientOf(one).publish(commit, await file("whole"))).toBe(true);
  await host().remove(one, commit);
});

test("a service that was ended in the middle has what was whole, and nothing else", async () => {
  const own = join(root, "ended");
  mkdirSync(own);
  {
    await using before = await servePacks(own, [one]);
    await clientOf(one, before).publish(commit, await file("whole"));
    await writeFile(join(before.folder, "incoming/half"), "ha");
  }
  await using after = await servePacks(own, [one]);
  expect([incoming(after), await host(after).packs()]).toEqual([
    [],
    [{ agent: one, commit, bytes: 5 }],
  ]);
  expect(await clientOf(one, after).publish(commit, await file("other"))).toBe(false);
});

test("a full disk is said in a sentence, and takes nothing away", async () => {
  await using disk = await mountSmallDisk({ megabytes: 4 });
  if (disk === undefined) return;
  await using small = await servePacks(disk.folder, [one]);
  await clientOf(one, small).publish(commit, await file("whole"));
  await disk.fill();
  const second = CommitHash.parse("2".repeat(40));
  const pack = await file(new Uint8Array(mebibyte));
  const error = await errorOf(clientOf(one, small).publish(second, pack));
  expect(error).toMatchObject({ status: 507, message: expect.stringContaining("is full") });
  expect(incoming(small)).toEqual([]);
  await disk.relieve();
  expect(await clientOf(one, small).publish(second, pack)).toBe(true);
  expect((await host(small).packs()).map((each) => each.commit).sort()).toEqual([commit, second]);
});

const files = {
  "pack/pack-1.pack": "a pack",
  "pack/pack-1.idx": "its index",
  "info/sett-shallow": "",
};

/** A copy of a store with these files, and its own service. */
async function copied() {
  const own = await mkdtemp(join(root, "copied-"));
  const served = await servePacks(own, [one]);
  const list = await Promise.all(
    Object.entries(files).map(async ([path, content]) => {
      const sha256 = new Bun.CryptoHasher("sha256").update(content).digest("hex");
      await host(served).putFile(sha256, await file(content));
      return { path, bytes: content.length, sha256 };
    }),
  );
  await host(served).putList({ files: list }, undefined);
  const folder = join(own, "copy");
  mkdirSync(folder);
  const copy = new StoreCopy(folder, clientOf(one, served, 500));
  await copy.sync();
  const content = () =>
    Object.fromEntries(
      Object.keys(files).map((path) => [path, readFileSync(join(folder, path), "utf8")]),
    );
  return { folder, copy, content, served };
}

const deeds: Record<string, (folder: string) => Promise<unknown>> = {
  "writes into a file": async (folder) => {
    await chmod(join(folder, "pack/pack-1.pack"), 0o600);
    await writeFile(join(folder, "pack/pack-1.pack"), "a hack");
  },
  "puts another file in its place": async (folder) => {
    await writeFile(join(folder, "evil"), "a hack");
    await rename(join(folder, "evil"), join(folder, "pack/pack-1.pack"));
  },
  "removes a file": (folder) => rm(join(folder, "pack/pack-1.idx")),
  "adds a pack": (folder) => writeFile(join(folder, "pack/pack-2.pack"), "evil"),
  "borrows from elsewhere": (folder) => writeFile(join(folder, "info/alternates"), "/tmp"),
  "puts a link in the place of a folder": async (folder) => {
    await rename(join(folder, "pack"), join(folder, "moved"));
    await symlink("moved", join(folder, "pack"));
  },
  "keeps a name of its own for a file": (folder) =>
    link(join(folder, "pack/pack-1.pack"), join(folder, "mine")),
  "closes a folder": (folder) => chmod(join(folder, "pack"), 0),
};

test.each(Object.keys(deeds))(
  "a copy of the store is right again after a command that %s",
  async (deed) => {
    const { folder, copy, content, served } = await copied();
    await using _ = served;
    await deeds[deed]?.(folder);
    await copy.mend();
    expect(content()).toEqual(files);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual(
      ["info", "pack", ...Object.keys(files)].sort(),
    );
  },
);

test("a copy that is right is not read again, and goes on where the service is away", async () => {
  const { folder, copy, content, served } = await copied();
  await served[Symbol.asyncDispose]();
  await copy.mend();
  expect(content()).toEqual(files);
  await writeFile(join(folder, "evil"), "");
  expect(await errorOf(copy.mend())).toMatchObject({
    code: "git-failed",
    message: expect.stringContaining("The service of packs does not answer"),
  });
});
