import { describe, expect, test } from "bun:test";
import { baseCommit } from "../../../../lib/core/base-commit.ts";
import { CommitHash } from "../../../../lib/model/ids.ts";
import { derived } from "../../../support/records/lineage.ts";

describe("baseCommit", () => {
  const pinned = CommitHash.parse("a".repeat(40));
  const older = CommitHash.parse("b".repeat(40));
  const newer = CommitHash.parse("c".repeat(40));

  test("the newest commit of target and context wins", () => {
    const goal = derived([], { metadata: { commit: pinned } });
    const first = derived([goal], { metadata: { commit: older } });
    const second = derived([goal], { metadata: { commit: newer } });
    const target = derived([second]);
    expect(baseCommit(target, [goal, second, first])).toBe(newer);
    expect(baseCommit(second, [goal, first])).toBe(newer);
  });

  test("the commit that the goal pins counts only when no other artefact names one", () => {
    const code = derived([derived([])], { metadata: { commit: older } });
    const goal = derived([], { metadata: { commit: pinned } });
    expect(baseCommit(derived([goal]), [code, goal])).toBe(older);
    expect(baseCommit(goal, [])).toBe(pinned);
    expect(baseCommit(derived([]), [])).toBeUndefined();
  });

  test("a CodeCommit whose metadata name no commit names one by its payload, even a commit that is not there", () => {
    const goal = derived([], { metadata: { commit: pinned } });
    expect(baseCommit(derived([goal], { type: "CodeCommit", payload: `${newer}\n` }), [goal])).toBe(
      newer,
    );
    expect(baseCommit(derived([goal], { type: "Report", payload: newer }), [goal])).toBe(pinned);
    expect(baseCommit(derived([goal], { type: "CodeCommit", payload: "the door" }), [goal])).toBe(
      pinned,
    );
  });
});
