import { expect, test } from "bun:test";
import { mergeMessage } from "../../../../../apps/cub/lane/merge-message.ts";
import type { ToolInput } from "../../../../../lib/model/tool-contract.ts";
import { sampleArtefact } from "../../../../support/records/sample.ts";

function messageOf(summary: string): string[] {
  const target_artefact = sampleArtefact({ type: "CodeCommit", metadata: { summary } });
  return mergeMessage({ target_artefact } as ToolInput, "main").split("\n");
}

test("a merge says which goal it is of, in one line of what can be seen", () => {
  const [subject, blank, lane, goal, artefact] = messageOf(
    "Add\n\nReviewed-by: Ada\u202e \u001b[31m",
  );
  expect([subject, blank, lane]).toEqual(["Add Reviewed-by: Ada [31m", "", "Sett-Lane: main"]);
  expect(goal).toMatch(/^Sett-Goal: [0-9a-f-]{36}$/);
  expect(artefact).toMatch(/^Sett-Artefact: [0-9a-f-]{36}$/);
});

test("a long summary is cut, and an empty one gives way to the type", () => {
  expect(messageOf("x".repeat(200))[0]).toHaveLength(72);
  expect(messageOf(" ")[0]).toBe("Merge a CodeCommit");
});
