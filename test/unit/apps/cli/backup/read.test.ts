// Shows that what is no back-up, or not as it was written, is refused with a sentence.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listOfSnapshot } from "../../../../../apps/cli/backup/append-files.ts";
import { checkBackup, filesIn } from "../../../../../apps/cli/backup/read.ts";
import { BackupWriter } from "../../../../../apps/cli/backup/write.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { archiveEnd, paddingOf, writeHeader } from "../../../../../lib/runtime/tar.ts";

let folder: string;
let count = 0;
const place = () => join(folder, `${++count}.sett`);
const never = new AbortController().signal;
const manifest = {
  sett_backup: 1,
  version: "0.1.0",
  instance: InstanceName.parse("demo"),
  id: "00ff.1790000000",
  created_at: "2026-10-01T12:00:00.000Z",
} as const;
const owner = { uid: 0, gid: 0 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-backup-"));
});

afterAll(() => rm(folder, { recursive: true }));

type Entry = { name: string; text: string; kind?: string; size?: number };

const usual: Entry[] = [
  { name: "blackboard/appendonly.aof.2.base.rdb", text: "REDIS0010…" },
  { name: "blackboard/appendonly.aof.manifest", text: listOfSnapshot },
];

/** An archive as a person could make it, with a right seal. */
async function made(entries: readonly Entry[], first: object = manifest): Promise<string> {
  const path = place();
  const all: Entry[] = [{ name: "manifest.json", text: JSON.stringify(first) }, ...entries];
  const listing = all
    .map(({ name, text }) => `${createHash("sha256").update(text).digest("hex")}  ${name}\n`)
    .join("");
  const sha256 = createHash("sha256").update(listing).digest("hex");
  const seal = { name: "seal.json", text: JSON.stringify({ entries: all.length, sha256 }) };
  const blocks = [...all, seal].flatMap(({ name, text, kind = "0", size }: Entry) => {
    const content = Buffer.from(text);
    const header = writeHeader({
      ...{ name, kind: kind as "0", size: size ?? content.length, mode: 0o644, owner },
    });
    return [header, content, Buffer.alloc(paddingOf(content.length))];
  });
  await writeFile(path, Buffer.concat([...blocks, archiveEnd]));
  return path;
}

const refusalOf = async (path: string) =>
  await checkBackup(path, never).then(
    () => "accepted",
    (error: Error) => error.message.replace(path, "It"),
  );

test("what was written is read back, in parts of any size", async () => {
  const path = place();
  using file = new BackupWriter(path, manifest);
  const { write, end } = file.begin("blackboard/appendonly.aof.2.base.rdb");
  for (const chunk of ["REDIS0010", "", "x".repeat(3_000_000)]) write(Buffer.from(chunk));
  end();
  // An entry that was begun and has nothing in it is none.
  file.begin("results.bundle");
  file.addText("blackboard/appendonly.aof.manifest", listOfSnapshot);
  file.addText(`record/ab/${"c".repeat(62)}.gz`, "body");
  const { sha256 } = file.seal();
  file.keep();
  const backup = await checkBackup(path, never);
  expect(backup).toMatchObject({ manifest, sha256, hasResults: false });
  const sizes = await Array.fromAsync(filesIn(path, "blackboard/"), ({ path: name, size }) => [
    name,
    size,
  ]);
  expect(sizes).toEqual([
    ["appendonly.aof.2.base.rdb", 3_000_009],
    ["appendonly.aof.manifest", listOfSnapshot.length],
  ]);
});

test("a file that was not kept is gone", async () => {
  const path = place();
  {
    using file = new BackupWriter(path, manifest);
    file.seal();
  }
  expect(await Bun.file(path).exists()).toBe(false);
});

test("an archive with anything but files of a back-up is refused, whatever its seal says", async () => {
  expect(await refusalOf(await made(usual))).toBe("accepted");
  const body = `record/ab/${"c".repeat(62)}.gz`;
  for (const bad of [
    { name: "../appendonly.aof.3.incr.aof", text: "" },
    { name: "/etc/cron.d/evil", text: "" },
    { name: "blackboard/../../evil", text: "" },
    { name: "blackboard/users.acl", text: "user default on nopass" },
    { name: "keys/secrets/..", text: "" },
    { name: "keys/secrets/a/b", text: "" },
    { name: body, text: "", kind: "2" },
    { name: body, text: "", kind: "1" },
    { name: body, text: "", kind: "3" },
    { name: body, text: "", kind: "5" },
    { name: body, text: "", kind: "x" },
    { name: "blackboard/appendonly.aof.manifest", text: listOfSnapshot },
    { name: "manifest.json", text: JSON.stringify(manifest) },
  ]) {
    const refusal = await refusalOf(await made([...usual, bad]));
    expect({ bad, refusal }).toEqual({
      bad,
      refusal: expect.stringContaining("It is no back-up of a sett: it has an entry that no"),
    });
  }
});

test("an entry that is larger than the file, or of a size that is none, is refused", async () => {
  const large = { name: "results.bundle", text: "", size: 2 ** 43 };
  const refusal = "It is not as it was written: it was cut, changed, or never completed.";
  expect(await refusalOf(await made([...usual, large]))).toBe(refusal);
  expect(await refusalOf(await made([...usual, { ...large, size: 8 ** 11 - 1 }]))).toBe(refusal);
});

test("the blackboard must be whole: a list, and each file that it names, in Redis' format", async () => {
  const [base, list] = usual;
  if (base === undefined || list === undefined) throw new Error("There are two.");
  const cut = "It is not as it was written: it was cut, changed, or never completed.";
  expect(await refusalOf(await made([]))).toBe(cut);
  expect(await refusalOf(await made([base]))).toBe(cut);
  expect(await refusalOf(await made([list]))).toBe(cut);
  expect(await refusalOf(await made([{ ...base, text: "PK" }, list]))).toContain(
    "appendonly.aof.2.base.rdb is no file of Redis",
  );
});

test("a newer format names the version that reads it, and a manifest of others is refused", async () => {
  const newer = await made(usual, { ...manifest, sett_backup: 2, version: "9.9.9" });
  expect(await refusalOf(newer)).toBe("It is a back-up in a newer format, by sett 9.9.9.");
  for (const other of [{}, { ...manifest, id: "../x" }, { ...manifest, instance: "-" }])
    expect(await refusalOf(await made(usual, other))).toContain("its manifest is not one");
});

test("what is no such file is refused by its first bytes, or by what it is", async () => {
  const text = place();
  await writeFile(text, "{}\n".repeat(1_000));
  const empty = place();
  await writeFile(empty, "");
  const zeros = place();
  await writeFile(zeros, "");
  // As large as the machine's disk, and with nothing in it.
  await truncate(zeros, 2 ** 40);
  for (const path of [text, empty, zeros])
    expect(await refusalOf(path)).toBe(
      "It is no back-up of a sett: it does not begin with a manifest.",
    );
  expect(await refusalOf(folder)).toBe("It is no back-up of a sett: it is no file.");
  expect(await refusalOf(place())).toContain("It cannot be read: ENOENT");
  const link = place();
  await symlink("/dev/zero", link);
  expect(await refusalOf(link)).toBe("It is no back-up of a sett: it is no file.");
});

test("every cut is noticed, and every change of a name, a size or a content", async () => {
  const path = await made(usual);
  const whole = Buffer.from(await Bun.file(path).arrayBuffer());
  const bad = place();
  for (let at = 0; at < whole.length; at += 7) {
    // Zeros and spaces fill blocks and fields: no name, size or content has them here.
    if (whole[at] === 0 || whole[at] === 0x20) continue;
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 0x55;
    for (const bytes of [changed, whole.subarray(0, at)]) {
      await writeFile(bad, bytes);
      expect({ at, refusal: await refusalOf(bad) }).not.toEqual({ at, refusal: "accepted" });
    }
  }
});
