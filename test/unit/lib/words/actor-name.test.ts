import { expect, test } from "bun:test";
import { actorName } from "../../../../lib/words/actor-name.ts";

test("an actor is named as people know it", () => {
  const actors = [
    "agent:coder@3f2a",
    "orchestrator:3",
    "person:Ada Lovelace <ada@example.org>",
    "hand",
    "gateway",
  ];
  expect(actors.map(actorName)).toEqual([
    "coder",
    "orchestrator",
    "Ada Lovelace",
    "by hand",
    "gateway",
  ]);
});
