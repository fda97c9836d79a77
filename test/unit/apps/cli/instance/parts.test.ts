// Which part of an instance a name means.
import { expect, test } from "bun:test";
import { partOf } from "../../../../../apps/cli/instance/parts.ts";
import { suggestFor } from "../../../../../lib/client/text/suggest.ts";
import { instanceParts } from "../../../../support/cli/instance-parts.ts";
import { errorOf } from "../../../../support/error-of.ts";

const workspace = "/home/ada/doors";

test("the logs of an agent whose container is gone are reported as gone, with the command that starts it; an unknown name is no part", async () => {
  const parts = instanceParts("demo", workspace, "containers");
  expect(partOf(parts, "coder", suggestFor(undefined)).name).toBe("sett-demo-agent-coder");
  const lost = {
    ...parts,
    containers: parts.containers.filter(({ name }) => name !== "sett-demo-agent-coder"),
  };
  const error = await errorOf(() => partOf(lost, "coder", suggestFor("demo")));
  expect([error.message, error.hint]).toEqual([
    "The container of coder was removed, and its log with it.",
    "`sett up --name demo` starts a new one.",
  ]);
  const misspelt = await errorOf(() => partOf(parts, "codre", suggestFor(undefined)));
  expect([misspelt.code, misspelt.hint]).toEqual([
    "agent-not-found",
    "Did you mean `sett logs coder`?",
  ]);
});
