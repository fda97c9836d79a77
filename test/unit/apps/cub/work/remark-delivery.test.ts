import { expect, test } from "bun:test";
import { RemarkDelivery } from "../../../../../apps/cub/work/remark-delivery.ts";

test("what a command has left beside the file of remarks does not cost its result", async () => {
  const warnings: string[] = [];
  const deps = {
    board: {},
    log: { warn: (text: string) => warnings.push(text) },
    openRemarks: async () => ({
      variables: { SETT_REMARKS: "/tmp/remarks.jsonl" },
      add: async () => undefined,
      [Symbol.asyncDispose]: async () => {
        throw new Error("EACCES: permission denied, rmdir");
      },
    }),
  };
  const task = { claim: { additional_context_ids: [] }, inputs: { ok: false } };
  const delivery = new RemarkDelivery(deps as never, task as never);
  expect(await delivery.during({} as never, async ({ remarks }) => remarks)).toEqual({
    SETT_REMARKS: "/tmp/remarks.jsonl",
  });
  expect(warnings).toEqual(["Could not remove the file of what people have said to running work"]);
});
