import { expect, test } from "bun:test";
import { BroughtToday } from "../../../../../apps/api/access/brought-today.ts";
import { errorOf } from "../../../../support/error-of.ts";

const mebibyte = 1024 * 1024;
const limits = { bytes: 10 * mebibyte, commits: 3 };

test("a token brings so many bytes and commits in a day, and others have their own", async () => {
  const today = new BroughtToday(limits, { passedMs: () => 1_000 });
  today.add("ada", { bytes: 10 * mebibyte });
  expect(await errorOf(() => today.add("ada", { bytes: 1 }))).toMatchObject({
    code: "too-large",
    message: "This token has brought more than 10 MiB in a day.",
    hint: "Push the branch to where the instance is, and fetch it there.",
  });
  for (let count = 0; count < 3; count += 1) today.add("bob", { commits: 1, bytes: mebibyte });
  expect(await errorOf(() => today.add("bob", { commits: 1 }))).toMatchObject({
    message: "This token has brought more than 3 commits in a day.",
  });
});

test("a day begins with the first commit, and ends after 24 hours, whatever was refused", async () => {
  let nowMs = 1_000;
  const today = new BroughtToday(limits, { passedMs: () => nowMs });
  const refused = async (bytes: number) => {
    const error = await errorOf(() => today.add("ada", { bytes }));
    expect(error.code).toBe("too-large");
  };
  await refused(11 * mebibyte);
  nowMs += 86_400_000;
  await refused(1);
  nowMs += 1;
  today.add("ada", { bytes: 10 * mebibyte });
  await refused(1);
});
