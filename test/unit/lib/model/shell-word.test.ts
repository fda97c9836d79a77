import { expect, test } from "bun:test";
import { shellWord } from "../../../../lib/model/shell-word.ts";

test.each(["a", "/a/b.c", "", "a b", "it's", "~/x", "$HOME", "`x`", "a\nb", "-n", "é", "*"])(
  "a shell reads %j as it was",
  (text) => {
    const { stdout } = Bun.spawnSync(["sh", "-c", `printf '[%s]' ${shellWord(text)}`]);
    expect(stdout.toString()).toBe(`[${text}]`);
  },
);

test("an ordinary path has no quotation marks", () => {
  expect(shellWord("/a/b-1.sock")).toBe("/a/b-1.sock");
});
