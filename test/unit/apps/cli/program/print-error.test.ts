import { describe, expect, test } from "bun:test";
import { printError } from "../../../../../apps/cli/program/print-error.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { fakeShell } from "../../../../support/cli/fake-shell.ts";

describe("an error", () => {
  const show = async (error: unknown, isDebug: boolean) => {
    const { err, written } = fakeShell();
    return { code: await printError(error, err, { isDebug }), text: written.err };
  };

  test("is shown with what to do next, and gives its exit code", async () => {
    const error = new SettError("workspace-dirty", "It is dirty.", { hint: "Commit." });
    expect(await show(error, false)).toEqual({
      code: 1,
      text: "sett: It is dirty.\n  → Commit.\n",
    });
  });

  test("that is unexpected is shown as such, its stack only with --debug", async () => {
    const quiet = await show(new Error("oh"), false);
    expect(quiet.code).toBe(1);
    expect(quiet.text).toContain("Something unexpected happened: oh");
    expect(quiet.text).not.toContain("    at ");
    const { text } = await show(
      new SettError("internal", "Broken.", { cause: new Error("deep down") }),
      true,
    );
    expect(text).toContain("    at ");
    expect(text).toContain("Caused by: Error: deep down");
  });

  test("brings no control characters of a tool to the terminal", async () => {
    expect(
      (await show(new SettError("build-failed", "It said: \u001b[91mno\u0007"), false)).text,
    ).toBe("sett: It said: no\ufffd\n");
  });
});
