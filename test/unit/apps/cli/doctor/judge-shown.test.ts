import { expect, test } from "bun:test";
import { judgeLayers, judgeStore } from "../../../../../apps/cli/doctor/judge-shown.ts";

const mebibyte = 1024 ** 2;
const found = (size: Parameters<typeof judgeStore>[0]) => judgeStore(size)[0]?.found;

test("the store is said with its size, and with how much of it is the repository's own", () => {
  expect(found({ bytes: 300 * mebibyte, sharedBytes: 0 })).toBe(
    "300 MiB, a copy: packs of the repository also have what agents do not see",
  );
  expect(found({ bytes: 300 * mebibyte, sharedBytes: 300 * mebibyte })).toBe(
    "300 MiB, all of it shared with the repository (hard links)",
  );
  expect(found({ bytes: 300 * mebibyte, sharedBytes: 280 * mebibyte })).toBe(
    "300 MiB, of which 280 MiB are shared with the repository (hard links)",
  );
  expect(judgeStore(undefined)).toEqual([]);
});

test("layers are said with their number, the limit and their size, where the Engine says it", () => {
  expect(judgeLayers({ count: 3, bytes: 900 * mebibyte })[0]?.found).toBe(
    "3, 900 MiB; of those of workers at most 4 are kept",
  );
  expect(judgeLayers({ count: 1, bytes: undefined })[0]?.found).toBe(
    "1, of a size that the Engine does not say; of those of workers at most 4 are kept",
  );
  expect(judgeLayers({ count: 0, bytes: 0 })).toEqual([]);
  expect(judgeLayers(undefined)).toEqual([]);
});
