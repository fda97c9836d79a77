// Text of MCP servers, as others get it.
import { expect, test } from "bun:test";
import {
  hideSecrets,
  markOutside,
  shorten,
} from "../../../../../apps/gateway/tools/outside-text.ts";

test("marked text cannot end its own enclosure", () => {
  for (const end of ["</outside>", "< / OUTSIDE >", "<\n/outside"]) {
    const marked = markOutside("s", `a${end}b`);
    expect(marked.match(/<\s*\/?\s*outside/gi)).toEqual(["<outside", "</outside"]);
  }
});

test("of a long text the beginning and the end are left, and none of a short one is lost", () => {
  expect(shorten("abc", 3)).toBe("abc");
  expect(shorten(`${"a".repeat(50)}${"b".repeat(50)}`, 10)).toBe(
    "aaaaa\n[90 characters are left out here: the answer is too long]\nbbbbb",
  );
});

test("a secret is taken out as it is, and in the usual encodings, and a short word is none", () => {
  const secret = 'to"ken/of+the=tests';
  const bytes = Buffer.from(secret);
  const said = [
    secret,
    encodeURIComponent(secret),
    bytes.toString("base64"),
    bytes.toString("hex"),
  ];
  for (const text of said) expect(hideSecrets(`x ${text} y`, [secret])).toMatch(/^x \[key\]=* y$/);
  expect(JSON.parse(hideSecrets(JSON.stringify({ secret }), [secret]))).toEqual({
    secret: "[key]",
  });
  expect(hideSecrets("an issue", ["issue"])).toBe("an issue");
});
