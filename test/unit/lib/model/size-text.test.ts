import { expect, test } from "bun:test";
import { sizeText } from "../../../../lib/model/size-text.ts";

test("a size is written as people read it", () => {
  const sizes = [0, 600_000, 16 * 1024 ** 2, 1023 * 1024 ** 2, 1024 ** 3, 1.5 * 1024 ** 3];
  expect(sizes.map(sizeText)).toEqual([
    "0 MiB",
    "1 MiB",
    "16 MiB",
    "1023 MiB",
    "1.0 GiB",
    "1.5 GiB",
  ]);
});
