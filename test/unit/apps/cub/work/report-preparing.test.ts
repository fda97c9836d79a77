import { expect, test } from "bun:test";
import { reportPreparing } from "../../../../../apps/cub/work/report-preparing.ts";
import { systemClock } from "../../../../../lib/async/clock.ts";
import { AgentName, ClaimId } from "../../../../../lib/model/ids.ts";
import type { FileCount } from "../../../../../lib/model/preparing.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { waitFor } from "../../../../support/wait-for.ts";

test("the files of one checkout after another, as of submodules, are counted together", async () => {
  const said: (FileCount | "over")[] = [];
  const board = {
    notePreparing: async ({ progress }: { progress: FileCount | "over" }) => {
      said.push(progress);
      return { outcome: "noted" } as const;
    },
  };
  const log = createJsonLog(() => {}, systemClock.now);
  const claim = ClaimId.parse(crypto.randomUUID());
  const lease = { claim, agent: AgentName.parse("coder"), attempt: 1 };
  await reportPreparing(
    { board, clock: systemClock, log },
    lease,
    async (onProgress) => {
      for (const [files, of, ...sums] of [
        [2, 4, 2, 4],
        [1, 900, 5, 904],
        [900, 900, 904, 904],
        [5, 900, 909, 1_804],
      ] as const) {
        onProgress({ files, of });
        const counted = { files: sums[0], of: sums[1] };
        await waitFor("the count", async () => Bun.deepEquals(said.at(-1), counted));
      }
    },
    1,
  );
  expect(said).toContainEqual({ files: 909, of: 1_804 });
});
