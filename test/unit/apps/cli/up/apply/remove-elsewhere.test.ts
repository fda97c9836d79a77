import { expect, test } from "bun:test";
import { join } from "node:path";
import { elsewhereFor } from "../../../../../../apps/cli/up/apply/remove-elsewhere.ts";
import { fakeShell } from "../../../../../support/cli/fake-shell.ts";
import { instanceParts } from "../../../../../support/cli/instance-parts.ts";
import { temporaryFolder } from "../../../../../support/git/sample-repository.ts";

test.each(["network", "blackboard"] as const)(
  "of an instance with a %s alone whose repository is gone, nothing is elsewhere",
  async (has) => {
    using folder = temporaryFolder();
    const parts = instanceParts("demo", join(folder.path, "gone"), has);
    const order = { parts, id: undefined, isForced: false };
    expect(await elsewhereFor(order, fakeShell())).toBeUndefined();
  },
);
