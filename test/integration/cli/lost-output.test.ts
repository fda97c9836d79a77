// An output that cannot be written, and one whose reader has gone.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import { finished } from "../../support/cli/finished.ts";
import { root } from "../../support/root.ts";

const main = join(root, "apps/cli/main.ts");
const follower = join(root, "test/support/cli/silent-follower.ts");

const shell = (script: string, ...words: string[]) =>
  finished(
    Bun.spawn(["bash", "-c", script, "bash", process.execPath, ...words], {
      ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
    }),
  );

test.each(["--help", "list --json", "validate --help"])(
  "`sett %s` onto a full disk fails, and says so in a sentence",
  async (words) => {
    const { code, err } = await shell(`"$1" "$2" ${words} > /dev/full`, main);
    // A warning about another instance of this machine may come before.
    expect({ code, lines: err.trimEnd().split("\n").slice(-2) }).toEqual({
      code: 1,
      lines: [
        expect.stringMatching(/^sett: The output cannot be written: .*no space left on device/i),
        "  → What was written so far is incomplete. Make room where it goes, and run the command again.",
      ],
    });
  },
);

test("messages that cannot be written do not end a command", async () => {
  const { code, out } = await shell('"$1" "$2" --version 2> /dev/full', main);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});

const hasGnuTail = (await $`tail --version`.quiet().nothrow()).stdout.includes("GNU");

test.if(hasGnuTail)("a program that waits ends when its reader has gone", async () => {
  const { out } = await shell('"$1" "$2" | head -1; echo $PIPESTATUS', follower);
  expect(out).toBe("one\n7\n");
});
