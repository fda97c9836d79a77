import { expect, test } from "bun:test";
import { gitea } from "../../../../../lib/forge/kinds/gitea.ts";
import { Rest } from "../../../../../lib/forge/rest.ts";

test("a draft stays a draft when its title changes, and one that a person has made ready stays ready", () => {
  expect(gitea.titleOf("Write it", "WIP: Write")).toBe("WIP: Write it");
  expect(gitea.titleOf("Write it", "[wip] Write")).toBe("WIP: Write it");
  expect(gitea.titleOf("Write it", "Write")).toBe("Write it");
});

test("the branch of a pull request is known when it was deleted", () => {
  expect(gitea.branchOf({ ref: "refs/pull/7/head", label: "sett/a" })).toBe("sett/a");
  expect(gitea.branchOf({ ref: "sett/a", label: "" })).toBe("sett/a");
});

test("a required check is a pattern in the forge's form, also across slashes", () => {
  const meant: [string, string, boolean][] = [
    ["ci/*", "ci/test/linux", true],
    ["ci/{build,test}", "ci/test", true],
    ["ci/{build,test}", "ci/lint", false],
    ["ci/t?st*", "ci/test/linux (push)", true],
    ["ci/[bt]*", "ci/lint", false],
    ["test (push)", "test (push)", true],
  ];
  for (const [required, name, is] of meant)
    expect([required, name, gitea.isMeant(required, name)]).toEqual([required, name, is]);
});

test("a protection that names no check requires all that report to be green", async () => {
  const required = async (answer: object) => {
    const fetch = (async () => Response.json(answer)) as unknown as typeof globalThis.fetch;
    const rest = new Rest({ root: "http://h/api/v1", token: "t", fetch, now: () => 0 });
    return await gitea.required({ rest, repository: "/repos/a/b" }, "main");
  };
  expect(await required({ enable_status_check: true, status_check_contexts: null })).toEqual(["*"]);
  expect(await required({ enable_status_check: true, status_check_contexts: ["ci"] })).toEqual([
    "ci",
  ]);
  expect(await required({ enable_status_check: false, status_check_contexts: ["ci"] })).toEqual([]);
});
