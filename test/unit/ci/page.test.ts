// The page that every program carries: its size, and that it asks for nothing elsewhere.
import { beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { bundlePage } from "../../../.ci/page.ts";
import { type PageFile, packPage, readPagePack } from "../../../lib/service/page-pack.ts";
import { nightly } from "../../support/nightly.ts";

const maxCompressedBytes = 400_000;
const maxFirstBytes = 90_000;

let files: PageFile[] = [];
beforeAll(async () => {
  files = await bundlePage();
});

const textOf = ({ content }: PageFile) => new TextDecoder().decode(content);

nightly("all of the page is smaller than 400 kB, compressed", async () => {
  const packed = readPagePack(await packPage(files));
  const bytes = [...packed.values()].reduce((sum, { brotli }) => sum + brotli.byteLength, 0);
  expect(bytes).toBeLessThan(maxCompressedBytes);
});

test("what the first view loads is smaller than 90 kB, also by gzip", () => {
  const [page] = files;
  const loaded = files.filter(
    (file) => file === page || textOf(page as PageFile).match(`(?:href|src)="${file.path}"`),
  );
  const bytes = loaded.reduce((sum, { content }) => sum + gzipSync(content).byteLength, 0);
  expect(loaded).toHaveLength(4);
  expect(bytes).toBeLessThan(maxFirstBytes);
});

nightly("the same sources give the same bytes", async () => {
  expect(await packPage(await bundlePage())).toBe(await packPage(files));
});

test("all but the page itself has a name with a hash, and the page names what it loads first", () => {
  const [page, ...rest] = files;
  expect(page).toMatchObject({ path: "/", isHashed: false });
  expect(
    rest.filter(
      ({ path, isHashed }) => !isHashed || !/^\/assets\/[\w-]+-[\w]{8}\.(?:js|css|svg)$/.test(path),
    ),
  ).toEqual([]);
  const named = /(?:href|src|name="later-style" content)="([^"]+)"/g;
  const loaded = [...textOf(page as PageFile).matchAll(named)].map(([, path]) => path);
  expect(loaded.length).toBe(4);
  expect(loaded.filter((path) => !rest.some((file) => file.path === path))).toEqual([]);
});

test("no style sheet and no document loads anything from elsewhere, and nothing is run from text", () => {
  const sheets = files.filter(({ path }) => path === "/" || path.endsWith(".css"));
  expect(
    sheets.flatMap((file) =>
      [...textOf(file).matchAll(/(?:url\(|@import|https?:)[^;]{0,60}/g)].map(([found]) => found),
    ),
  ).toEqual([]);
  const scripts = files.filter(({ path }) => path.endsWith(".js"));
  expect(
    scripts.filter((file) => /\beval\(|new Function\(/.test(textOf(file))).map(({ path }) => path),
  ).toEqual([]);
});
