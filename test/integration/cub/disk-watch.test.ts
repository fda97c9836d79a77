// Shows what a folder takes, and how a run is ended that writes too much.
import { expect, test } from "bun:test";
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { diskUse } from "../../../apps/cub/container/disk-use.ts";
import { type DiskStates, DiskWatch, sizeText } from "../../../apps/cub/container/disk-watch.ts";
import { emptyFolder } from "../../../lib/folders/remove-tree.ts";
import { mountSmallDisk } from "../../chaos/small-disk.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

const kibibyte = 1024;
const mebibyte = 1024 ** 2;

/** Counts how often a watch has looked at its folders. */
class CountedStates extends Map<
  string,
  DiskStates extends Map<string, infer State> ? State : never
> {
  looks = 0;

  override get(path: string) {
    this.looks += 1;
    return super.get(path);
  }

  async lookedAgain(until: () => boolean = () => false): Promise<void> {
    const before = this.looks;
    await waitFor("another look", () => this.looks > before || until());
  }
}

test("a folder takes what its files take, each at least a page; links are not followed, and a file of two names counts once", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at("deep/er"), { recursive: true });
  writeFileSync(at("deep/er/file"), new Uint8Array(mebibyte));
  linkSync(at("deep/er/file"), at("again"));
  symlinkSync("/usr", at("link"));
  writeFileSync(at("empty"), "");
  // deep, er, link and empty: a page each.
  expect(await diskUse(folder.path)).toBe(mebibyte + 4 * 4 * kibibyte);
  expect(await diskUse(folder.path, 100)).toBeGreaterThan(100);
  expect(await diskUse(join(folder.path, "nothing"))).toBe(0);
});

test("names that are not UTF-8 count like others, and so does what is below them", async () => {
  using folder = temporaryFolder();
  const named = Buffer.concat([Buffer.from(`${folder.path}/`), Buffer.from([0xff, 0xfe])]);
  mkdirSync(named);
  writeFileSync(
    Buffer.concat([named, Buffer.from("/"), Buffer.from([0xc3])]),
    new Uint8Array(mebibyte),
  );
  expect(await diskUse(folder.path)).toBe(mebibyte + 4 * kibibyte);
});

nightly(
  "an open file without a name counts once, however often it is open, where its folder is",
  async () => {
    using folder = temporaryFolder();
    using other = temporaryFolder();
    const path = join(folder.path, "file");
    const open = [openSync(path, "w"), openSync(path, "r")];
    writeSync(open[0] ?? 0, new Uint8Array(mebibyte));
    expect(await diskUse(folder.path)).toBe(mebibyte);
    unlinkSync(path);
    expect(await diskUse(folder.path)).toBe(mebibyte);
    expect(await diskUse(other.path)).toBe(0);
    for (const fd of open) closeSync(fd);
    expect(await diskUse(folder.path)).toBe(0);
  },
);

test("what cannot be reached by any path is too much", async () => {
  using folder = temporaryFolder();
  const chain = Array.from({ length: 15 }, () => "x".repeat(200)).join("/");
  for (const half of ["one", "other"])
    mkdirSync(join(folder.path, half, chain), { recursive: true });
  // No path names its end, but moving it there needs none.
  renameSync(join(folder.path, "one"), join(folder.path, "other", chain, "one"));
  expect(await diskUse(folder.path)).toBe(Number.POSITIVE_INFINITY);
  await emptyFolder(folder.path);
  expect(await diskUse(folder.path)).toBe(0);
});

test("a run that writes too much is ended once, with a sentence, and one that writes less is not", async () => {
  using folder = temporaryFolder();
  const reasons: string[] = [];
  const folders = [
    { path: join(folder.path, "nothing"), name: "nothing", isFlat: true },
    { path: folder.path, name: "/workspace", isFlat: true },
  ];
  const watch = (bytes: number, states: DiskStates) =>
    new DiskWatch({ bytes, folders }).start((reason) => reasons.push(reason), states);
  writeFileSync(join(folder.path, "file"), new Uint8Array(mebibyte));
  const states = new CountedStates();
  using _patient = watch(2 * mebibyte, states);
  for (let looks = 0; looks < 3; looks++) await states.lookedAgain();
  expect(reasons).toEqual([]);
  using _strict = watch(mebibyte / 2, new Map());
  await waitFor("the end", () => reasons.length > 0);
  // The other one goes on, as this one would.
  for (let looks = 0; looks < 3; looks++) await states.lookedAgain();
  expect(reasons).toEqual([
    "The run was ended because there is too much in /workspace: `resources.limits.disk` allows 512 KiB.",
  ]);
});

test("files that are written during a run are counted when the disk has become fuller by half of what is left", async () => {
  using folder = temporaryFolder();
  const reasons: string[] = [];
  const disk = { bytes: mebibyte, folders: [{ path: folder.path, name: "/workspace" }] };
  writeFileSync(join(folder.path, "large"), new Uint8Array(2 * mebibyte));
  // Other programs use this disk: how full it was is said instead of made. It is never due by the
  // time that has passed.
  const free = Number.MAX_SAFE_INTEGER;
  const seen = {
    free,
    freeAtStart: free,
    used: 0,
    countedAt: Number.POSITIVE_INFINITY,
    countMs: 0,
  };
  using _watch = new DiskWatch(disk).start(
    (reason) => reasons.push(reason),
    new Map([[folder.path, seen]]),
  );
  await waitFor("the end", () => reasons.length > 0);
  expect(reasons[0]).toContain("allows 1 MiB");
});

test("what another program frees meanwhile hides nothing: a small folder is counted every two seconds", async () => {
  using folder = temporaryFolder();
  const reasons: string[] = [];
  const disk = { bytes: mebibyte, folders: [{ path: folder.path, name: "/workspace" }] };
  writeFileSync(join(folder.path, "large"), new Uint8Array(2 * mebibyte));
  // The disk has more room than it ever had, and was counted three seconds ago.
  const countedAt = performance.now() - 3_000;
  const seen = { free: 0, freeAtStart: 0, used: 0, countedAt, countMs: 1 };
  using _watch = new DiskWatch(disk).start(
    (reason) => reasons.push(reason),
    new Map([[folder.path, seen]]),
  );
  await waitFor("the end", () => reasons.length > 0);
  expect(reasons[0]).toContain("allows 1 MiB");
}, 120_000);

nightly(
  "a run beside which a nearly full disk becomes fuller is ended, also where the growth is in no folder that is counted",
  async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const reasons: string[] = [];
    const disk = {
      bytes: 1024 * mebibyte,
      folders: [{ path: folder.path, name: "/workspace" }],
      reserveBytes: 2 ** 60,
    };
    const states = new CountedStates();
    using _watch = new DiskWatch(disk).start((reason) => reasons.push(reason), states);
    for (let looks = 0; looks < 3; looks++) await states.lookedAgain();
    expect(reasons).toEqual([]);
    // Other programs may free as much meanwhile.
    for (let file = 0; reasons.length === 0 && file < 40; file++) {
      writeFileSync(join(elsewhere.path, `large${file}`), new Uint8Array(16 * mebibyte), {
        flush: true,
      });
      await states.lookedAgain(() => reasons.length > 0);
    }
    expect(reasons[0]).toMatch(
      /^The run was ended because the disk of \/workspace was filled meanwhile, which has only .* left\.$/,
    );
  },
  120_000,
);

const probe = await mountSmallDisk({ megabytes: 1 });
await probe?.[Symbol.asyncDispose]();

test.if(probe !== undefined)(
  "a run that makes files until the disk can hardly have another one is ended before",
  async () => {
    const small = await mountSmallDisk({ megabytes: 64, inodes: 20_000 });
    if (small === undefined) throw new Error("No disk can be mounted here.");
    await using _ = small;
    const reasons: string[] = [];
    const path = join(small.folder, "workspace");
    mkdirSync(path);
    const disk = { bytes: 1024 * mebibyte, folders: [{ path, name: "/workspace" }] };
    const states = new CountedStates();
    using _watch = new DiskWatch(disk).start((reason) => reasons.push(reason), states);
    await states.lookedAgain();
    let files = 0;
    const make = (last: number) => {
      while (files < last) writeFileSync(join(path, `${files++}`), "");
    };
    make(19_000);
    for (let looks = 0; looks < 3; looks++) await states.lookedAgain();
    expect(reasons).toEqual([]);
    make(19_900);
    await waitFor("the end", () => reasons.length > 0);
    expect(reasons[0]).toMatch(
      /^The run was ended because it was filling the disk of \/workspace, which has only \d+ inodes left\.$/,
    );
  },
  120_000,
);

test("sizes are written in the largest unit that has one", () => {
  expect([1, 1023, 1024, 1.5 * mebibyte, 10 * 1024 ** 3, 3 * 1024 ** 5].map(sizeText)).toEqual([
    "1 bytes",
    "1023 bytes",
    "1 KiB",
    "1.5 MiB",
    "10 GiB",
    "3072 TiB",
  ]);
});
