import { expect, test } from "bun:test";
import { type PageFile, packPage, readPagePack } from "../../../../lib/service/page-pack.ts";

const file = (path: string, text: string): PageFile => ({
  path,
  contentType: "text/html; charset=utf-8",
  isHashed: path !== "/",
  content: new TextEncoder().encode(text),
});

test("a pack gives back its files, compressed and plain", async () => {
  const files = [file("/assets/b-1.js", "two"), file("/", "<p>one</p>")];
  const read = readPagePack(await packPage(files));
  expect([...read.keys()]).toEqual(["/", "/assets/b-1.js"]);
  const page = read.get("/");
  expect(new TextDecoder().decode(page?.plain())).toBe("<p>one</p>");
  expect(page).toMatchObject({
    contentType: "text/html; charset=utf-8",
    isHashed: false,
    etag: expect.stringMatching(/^"\w+"$/),
  });
});

test("the same files give the same pack, in whichever order they come", async () => {
  const files = [file("/", "one"), file("/assets/b-1.js", "two")];
  expect(await packPage(files.toReversed())).toBe(await packPage(files));
});

test("what is no pack is refused", () => {
  expect(() => readPagePack('{"format":2,"files":[]}')).toThrow();
});
