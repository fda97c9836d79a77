// The passwords of users that others make in a Redis elsewhere.
import { expect, test } from "bun:test";
import { ownerPasswordFrom, passwordFor } from "../../../../../apps/cli/services/redis-users.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";

const [one, two] = [InstanceName.parse("one"), InstanceName.parse("two")];
const text = "0123456789abcdef0123456789abcdef";

test("one text gives each instance and each user another password, and always the same", () => {
  const all = [one, two].flatMap((instance) =>
    (["orchestrator", "person"] as const).map((role) =>
      passwordFor(ownerPasswordFrom(text, instance), { role }),
    ),
  );
  expect(new Set(all).size).toBe(4);
  expect(ownerPasswordFrom(text, one)).toBe(ownerPasswordFrom(text, one));
  expect(ownerPasswordFrom(`${text}0`, one)).not.toBe(ownerPasswordFrom(text, one));
});
