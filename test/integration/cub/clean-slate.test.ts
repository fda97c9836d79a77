// Shows what is ended with a grant, where the cub is process 1: here of a pid namespace, in its
// container of that.
import { expect, test } from "bun:test";
import { canBeAlone, endAlone } from "../../support/cub/clean-slate-alone.ts";

test.if(canBeAlone())(
  "what the cub's own git has left behind is ended, and a git that has not ended is spared",
  () => {
    const { stdout, stderr } = endAlone();
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      before: 4,
      inOwnGroup: 3,
      spared: true,
      command: "sleep",
      exitCode: null,
    });
  },
);
