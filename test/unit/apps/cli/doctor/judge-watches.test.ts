import { expect, test } from "bun:test";
import { judgeWatches } from "../../../../../apps/cli/doctor/judge-watches.ts";

const most = { pid: 7, name: "node", count: 90 };

test("a user who has enough watches of files left is fine", () => {
  expect(judgeWatches({ limit: 128, user: "1000", used: 95, most })).toMatchObject({
    level: "ok",
    found: "user 1000 has 95 of 128",
  });
  expect(judgeWatches({ limit: 128, user: undefined, used: 0, most: undefined })).toMatchObject({
    level: "ok",
    found: "none of 128 in use",
  });
});

test("one who has nearly all is warned, with the process that has the most", () => {
  expect(judgeWatches({ limit: 128, user: "1000", used: 96, most })).toMatchObject({
    level: "warning",
    found: "user 1000 has 96 of 128, 90 of them in process 7 (node)",
    remedy: expect.stringContaining("fs.inotify.max_user_instances"),
  });
});
