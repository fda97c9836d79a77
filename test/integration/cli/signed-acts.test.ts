// What a person does is signed, is stored with its signature, and is shown by it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { bids, report, Sett } from "../../support/cli/sett.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { exportedLog } from "../../support/proof/exported-log.ts";

let at: Workspace;
let outside: string;

beforeAll(async () => {
  at = await Workspace.create();
  outside = await mkdtemp(join(tmpdir(), "sett-keys-"));
  await $`ssh-keygen -q -t ed25519 -N "" -C "" -f ada && ssh-keygen -q -t ecdsa -N secret -C "" -f locked`
    .cwd(outside)
    .quiet();
  await at.git("config", "gpg.format", "ssh");
  await at.git("config", "user.signingkey", join(outside, "ada.pub"));
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await rm(outside, { recursive: true });
});

const writers = {
  writer: { ...bids({ on: "GoalDefined", bid: "exclusive" }), tool: () => report("Draft") },
  maintainer: { human: true, ...bids({ on: "Draft", bid: "review" }) },
} as const;
const isDraft = ({ type }: Artefact) => type === "Draft";

test("a goal and a verdict are signed by the person's key where that is required, and an auditor sees whether they are", async () => {
  const ownKey = await readFile(join(outside, "ada.pub"), "utf8");
  const rule = {
    ...{ signers: `ada@sett.invalid ${ownKey}`, required: true as const },
    people: [{ name: "ada", email: "ada@sett.invalid" }],
  };
  const maintainer = { ...writers.maintainer, signing: rule };
  await using clan = await Sett.start(at, { ...writers, maintainer });
  const goal = {
    goal_id: (await clan.need("forage", "--goal", "Write", "--sign")).trim(),
  } as never;
  const draft = await clan.made(goal, isDraft);
  await clan.grant(draft, "maintainer", "waiting");
  const unsigned = await clan.sett("approve", draft.id);
  expect({ code: unsigned.code, err: unsigned.err }).toEqual({
    code: 1,
    err: expect.stringContaining(
      `sett approve ${draft.id.slice(0, 8)} --for maintainer --sign --name ${clan.instance}`,
    ),
  });
  const { code, err, out } = await clan.sett(
    ...["approve", draft.id, "--reason", "Good", "--sign-with", join(outside, "ada")],
    ...["--meaning", "responsibility"],
  );
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining("for maintainer, and signed"),
  });
  const review = await clan.board.readArtefact(out.trim() as never);
  expect(JSON.parse(String(review?.metadata.statement))).toMatchObject({
    ...{ act: "approve", meaning: "responsibility", instance: clan.instance },
    ...{ artefact: draft.id, reason: "Good", principal: "ada@sett.invalid", for: "maintainer" },
  });
  await clan.grant(draft, "maintainer", "done");
  expect(await clan.need("report", (goal as Artefact).goal_id)).toContain(
    "approved, signed as responsibility",
  );

  const { file, key } = await exportedLog(clan, outside);
  const signers = join(outside, "signers");
  const verify = (...words: string[]) =>
    at.sett("audit", "verify", file, "--key", key, "--signers", signers, ...words);
  await writeFile(signers, `ada@sett.invalid ${ownKey}`);
  const shown = await verify("--require", "signatures");
  expect({ code: shown.code, out: shown.out }).toEqual({
    code: 0,
    out: expect.stringContaining("  people     2 acts of people are signed, by ada@sett.invalid\n"),
  });
  await writeFile(signers, `ada@sett.invalid valid-before="20200101Z" ${ownKey}`);
  const expired = await verify();
  expect({ code: expired.code, out: expired.out.split("\n").toSorted() }).toEqual({
    code: 1,
    out: [
      "",
      ...[review?.id, (goal as Artefact).goal_id]
        .map(
          (id) =>
            `validity artefacts/${id}.json: The key was not valid for this name at that time.`,
        )
        .toSorted(),
    ],
  });
  await writeFile(signers, `*@sett.invalid ${ownKey}`);
  const wrong = await verify();
  expect({ code: wrong.code, err: wrong.err }).toEqual({
    code: 2,
    err: expect.stringContaining("signers:1 has a pattern or quotation marks in its names"),
  });
}, 120_000);

nightly(
  "what is not signed is not posted, and a sentence says why",
  async () => {
    await using clan = await Sett.start(at, writers);
    const goal = await clan.goal();
    const draft = await clan.made(goal, isDraft);
    await clan.grant(draft, "maintainer", "waiting");
    const refusing = join(outside, "refuse");
    await writeFile(refusing, "#!/bin/sh\necho 'The device says no' >&2\nexit 7\n");
    const idle = join(outside, "idle");
    await writeFile(idle, "#!/bin/sh\necho nothing\n");
    for (const program of [refusing, idle]) await chmod(program, 0o755);
    const said = async (...words: string[]) => {
      const { code, out, err } = await clan.sett("approve", draft.id, ...words);
      expect(out).toBe("");
      return `${code}: ${err}`;
    };
    expect(await said("--sign-with", join(outside, "none"))).toContain("2: ");
    expect(await said("--sign-with", join(outside, "none"))).toContain("There is no key ");
    // It cannot ask for the passphrase.
    expect(await said("--sign-with", join(outside, "locked"))).toContain(
      "It was not signed, and nothing was posted: `ssh-keygen` ended with exit code 255",
    );
    expect(await said("--meaning", "fun", "--sign")).toContain("--meaning is none of: review, ");
    expect(await said("--meaning", "review")).toContain("nothing is signed");
    expect(await said("--sign", "--as", "Ada Lovelace")).toContain("it has blanks, and no address");
    await at.git("config", "gpg.ssh.program", refusing);
    expect(await said("--sign")).toContain("ended with exit code 7: The device says no");
    await at.git("config", "gpg.ssh.program", idle);
    expect(await said("--sign")).toContain("has made no signature of SSH");
    await at.git("config", "gpg.ssh.program", join(outside, "missing"));
    expect(await said("--sign")).toContain("cannot be started");
    await at.git("config", "--unset", "gpg.ssh.program");
    await at.git("config", "--unset", "user.signingkey");
    expect(await said("--sign")).toContain(
      "2: sett: --sign knows no key: git has no `user.signingkey`.",
    );
    const { grants } = await clan.claimOn(draft);
    expect(grants.map(({ state }) => state)).toEqual(["waiting"]);
  },
  120_000,
);

nightly(
  "an act is refused that no key of its person has signed, where none is needed either",
  async () => {
    const otherKey = await readFile(join(outside, "locked.pub"), "utf8");
    const signing = {
      signers: `ada@sett.invalid ${otherKey}`,
      people: [{ name: "ada", email: "ada@sett.invalid" }],
    };
    await at.git("config", "user.signingkey", join(outside, "ada.pub"));
    const wrongKey = "The signature does not count. No line of the signers has this key";
    await using checked = await Sett.start(at, {
      ...writers,
      maintainer: { ...writers.maintainer, signing },
    });
    const said = async (...words: string[]) => {
      const { code, err } = await checked.sett(...words, "--sign-with", join(outside, "ada"));
      return `${code}: ${err}`;
    };
    expect(await said("forage", "--goal", "Write")).toContain(wrongKey);
    expect(await checked.board.countGoals()).toBe(0);
    const goal = { goal_id: (await checked.need("forage", "--goal", "Write")).trim() } as never;
    const draft = await checked.made(goal, isDraft);
    await checked.grant(draft, "maintainer", "waiting");
    expect(await said("approve", draft.id)).toContain(wrongKey);
    expect(await said("reject", draft.id, "--reason", "No")).toContain(wrongKey);
    expect(await said("fork", draft.id)).toContain(wrongKey);
    const stranger = ["--as", "Eve <eve@sett.invalid>"];
    expect(await said("approve", draft.id, ...stranger)).toContain(
      "`people` in sett.yml has no eve@sett.invalid.",
    );
    const { grants } = await checked.claimOn(draft);
    expect(grants.map(({ state }) => state)).toEqual(["waiting"]);
    // None is needed here, so that an approval without one counts.
    expect((await checked.sett("approve", draft.id)).code).toBe(0);
  },
  120_000,
);
