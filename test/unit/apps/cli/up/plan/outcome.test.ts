// The changes that a `sett up` says it has made.
import { expect, test } from "bun:test";
import { outcomeOf } from "../../../../../../apps/cli/up/plan/outcome.ts";
import { sampleAgent } from "../../../../../support/records/sample.ts";

const [first, second] = [sampleAgent("first"), sampleAgent("second")];
const before = [
  { ...first, position: 0 },
  { ...second, position: 1 },
];
const keep = [first, second].map(({ name }) => ({ kind: "keep", name }) as never);

test("an agent whose place in sett.yml alone has changed is kept, and another registration is repaired", () => {
  const changes = { services: [], agents: keep } as never;
  const moved = outcomeOf(changes, [], before, [
    { ...second, position: 0 },
    { ...first, position: 1 },
  ]);
  expect(moved).toMatchObject({ kept: ["first", "second"], repaired: [] });
  const wrong = [{ ...before[0], retries: 7 } as typeof first, { ...second, position: 1 }];
  expect(outcomeOf(changes, [], wrong, before)).toMatchObject({
    ...{ kept: ["second"], repaired: ["first"] },
  });
});
