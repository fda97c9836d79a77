// Programs print a value with the characters that they escape: each of their ways is masked.
import { expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import { maskerOf } from "../../../../../apps/cub/secrets/masker.ts";

const masker = (values: readonly string[]) =>
  maskerOf(values.map((value) => ["hard", Buffer.from(value)] as const));
const base64 = (text: string) => Buffer.from(text).toString("base64");
const hexOf = (text: string) => Buffer.from(text).toString("hex");

const hard = `pa"ss\\wo$rd&<7'x/zzzzq`;
const own = masker([hard]);

const accidents: [string, string][] = [
  [
    "JSON with HTML's characters escaped",
    JSON.stringify(hard).replaceAll("<", "\\u003c").replaceAll("&", "\\u0026"),
  ],
  [
    "JSON, each character",
    [...hard].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  ],
  ["a URL, each byte", hexOf(hard).replace(/../g, "%$&")],
  ["a trace of a shell", `+ login 'pa"ss\\wo$rd&<7'\\''x/zzzzq'`],
  ["another quotation of a shell", `'pa"ss\\wo$rd&<7'"'"'x/zzzzq'`],
  ["printf %q", `pa\\"ss\\\\wo\\$rd\\&\\<7\\'x/zzzzq`],
  [
    "HTML with numbers",
    hard
      .replaceAll("&", "&amp;")
      .replaceAll('"', "&#34;")
      .replaceAll("'", "&#039;")
      .replaceAll("<", "&#x3C;"),
  ],
  ["YAML", `'${hard.replaceAll("'", "''")}'`],
  ["CSV", `"${hard.replaceAll('"', '""')}"`],
  ["base64 with indented lines", base64(hard).replace(/.{10}/g, "$&\n    ")],
  ["base64 with lines, in JSON", JSON.stringify(base64(hard).replace(/.{10}/g, "$&\r\n"))],
  ["hexadecimal with colons", hexOf(hard).replace(/..(?!$)/g, "$&:")],
  ["hexadecimal with spaces", hexOf(hard).toUpperCase().replace(/.{4}/g, "$& ")],
  ["hexadecimal of C", hexOf(hard).replace(/../g, "\\x$&")],
];

test.each(accidents)("a value in %s is masked", (_, text) => {
  for (const around of [text, `before ${text} after`, `\\n${text}\\n`]) {
    const rest = own.text(around);
    expect(rest).toContain("[secret hard]");
    // No more than the neighbours of a value in base64 are left.
    expect(rest.split("[secret hard]").at(-1)?.length).toBeLessThan(20);
    for (const part of ["zzzzq", "wo$rd"]) expect(rest).not.toContain(part);
  }
  expect(own.find(Buffer.from(text))).toBe("hard");
});

test("a value without letters in a row, and one that begins with what looks escaped, are masked", () => {
  for (const value of [
    "$$--$$--$$--",
    "\\nabcdefgh",
    "\tabcdefgh1",
    "%41%42%43%44",
    "a%b%c%d%e",
    "a b c d e f g",
    "1:2:3:4:5:6:7",
  ])
    for (const text of [
      value,
      JSON.stringify(value),
      encodeURIComponent(value),
      base64(value),
      hexOf(value),
    ])
      expect([value, masker([value]).text(`x: ${text} y`)]).toEqual([
        value,
        expect.stringContaining("[secret hard]"),
      ]);
});

test("runs of what programs escape and quote take no time to speak of", () => {
  const values = ["\\", "'", `"'`, '\\"', "$", "%", "a\\'"]
    .map((unit) => unit.repeat(20))
    .concat(`a\\\\\\\\b''''c""d`);
  const all = masker(values);
  const before = process.cpuUsage();
  for (const unit of ["\\", "'", '"', "'\\''", '\\"', "$", "%5c", "%25", "&amp;", "a\\'"])
    all.text(`a${unit.repeat(5_000)}b`);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
});
