import { expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BundleWriter, openBundle } from "../../../../../apps/cli/audit/bundle-file.ts";
import { readArchive } from "../../../../../lib/proof/archive.ts";
import { root } from "../../../../support/root.ts";

async function temporary() {
  const folder = await mkdtemp(join(tmpdir(), "bundle-file-"));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

test("a bundle is read as it was written, also a file of it that came in pieces", async () => {
  await using place = await temporary();
  const path = join(place.folder, "bundle.tar");
  {
    using bundle = new BundleWriter(path);
    bundle.add("README", "for people");
    const pieces = bundle.begin("entries");
    for (const piece of ["one", "", "ü".repeat(600)]) pieces.write(piece);
    pieces.end();
    bundle.begin("records.jsonl").end();
    bundle.add("facts/0", new Uint8Array(512));
    bundle.keep();
  }
  await using opened = await openBundle(path);
  const files = await readArchive(opened);
  if (typeof files === "string") throw new Error(files);
  const texts = [...files].map(async ([name, file]) => [name, (await file.whole()).toString()]);
  expect(await Promise.all(texts)).toEqual([
    ["README", "for people"],
    ["entries", `one${"ü".repeat(600)}`],
    ["records.jsonl", ""],
    ["facts/0", "\0".repeat(512)],
  ]);
  expect(() => new BundleWriter(path)).toThrow("cannot be written");
});

test("a bundle that was not finished, or that no verifier reads, leaves no file", async () => {
  await using place = await temporary();
  const write = () => {
    using bundle = new BundleWriter(join(place.folder, "bundle.tar"), 2_000);
    bundle.add("README", "for people");
    bundle.add("entries", "x".repeat(1_000));
  };
  expect(write).toThrow("more than 2 GiB");
  expect(await readdir(place.folder)).toEqual([]);
});

test("nor does one whose process an interruption ends", async () => {
  await using place = await temporary();
  const program = `
    import { BundleWriter } from "${join(root, "apps/cli/audit/bundle-file.ts")}";
    const [folder] = process.argv.slice(-1);
    {
      using whole = new BundleWriter(folder + "/whole.tar");
      whole.keep();
    }
    const half = new BundleWriter(folder + "/half.tar");
    half.add("README", "for people");
    process.exit(7);
  `;
  const child = Bun.spawn([process.execPath, "-e", program, place.folder]);
  expect(await child.exited).toBe(7);
  expect(await readdir(place.folder)).toEqual(["whole.tar"]);
});
