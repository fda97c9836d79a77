// Which programs of a person's own are named where a git of theirs takes its time.
import { expect, test } from "bun:test";
import { findRepository } from "../../../../../lib/git/run/find-repository.ts";
import { namingWaits } from "../../../../../lib/git/run/person-programs.ts";
import { git, hostEnv, sampleRepository } from "../../../../support/git/sample-repository.ts";

test("a merge may wait for drivers, for what writes files and for a command of keys, and an add for what reads files", async () => {
  using host = sampleRepository();
  const settings = {
    "merge.own.driver": "/bin/my-driver %A %O %B",
    "filter.own.smudge": "/bin/my-smudge --fast",
    "filter.own.clean": "/bin/my-clean",
    "commit.gpgsign": "true",
    "gpg.format": "ssh",
    "gpg.ssh.defaultKeyCommand": "/bin/my-keys -L",
  };
  for (const [name, value] of Object.entries(settings)) git(host.path, "config", name, value);
  const own = { path: "git", env: hostEnv };
  const place = await findRepository(own, host.path);
  const waits = async (subcommand: "merge" | "add") => {
    const named = Promise.withResolvers<string>();
    const waiting = { git: own, place, onSlow: named.resolve };
    return await namingWaits(subcommand, waiting, () => named.promise);
  };
  const [merge, add] = await Promise.all([waits("merge"), waits("add")]);
  expect(merge).toContain("merge.own.driver is set, and runs /bin/my-driver");
  expect(merge).toContain("filter.own.smudge is set, and runs /bin/my-smudge");
  expect(merge).toContain("gpg.ssh.defaultKeyCommand is set, and runs /bin/my-keys");
  expect(add).toContain("filter.own.clean is set, and runs /bin/my-clean");
  expect(add).not.toMatch(/smudge|driver|sign|key/);
}, 120_000);
