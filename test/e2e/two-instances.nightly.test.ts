// Two instances side by side on one machine know nothing of each other.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";

let left: SettWorkspace;
let right: SettWorkspace;

const echo = (word: string) =>
  `cat > /dev/null; echo '{"artefact_type":"Echo","artefact_payload":"${word}","summary":""}'`;

beforeAll(async () => {
  const bids = "    bids:\n      - { on: GoalDefined, bid: exclusive }\n";
  [left, right] = (await Promise.all(
    ["left", "right"].map((word) =>
      SettWorkspace.create({
        ...scriptAgent("echo", echo(word)),
        "sett.yml": settYml({ echo: bids }),
      }),
    ),
  )) as [SettWorkspace, SettWorkspace];
  await Promise.all([left.commit("Add a sett"), right.commit("Add a sett")]);
  await Promise.all([left.up(), right.up()]);
});

afterAll(async () => {
  await left[Symbol.asyncDispose]();
  await right[Symbol.asyncDispose]();
});

test("each works on its own goals", async () => {
  await Promise.all([
    left.need("forage", "--watch", "--goal", "which side?"),
    right.need("forage", "--watch", "--goal", "which side?"),
  ]);
  for (const [workspace, word] of [
    [left, "left"],
    [right, "right"],
  ] as const) {
    const artefacts: { payload: string }[] = JSON.parse(await workspace.need("hoard", "--json"));
    expect(artefacts.map((artefact) => artefact.payload)).toEqual(["which side?", word]);
  }
});

test("a name that is taken is refused, and so is a second instance for one workspace", async () => {
  const other = await SettWorkspace.create({
    ...scriptAgent("echo", echo("other")),
    "sett.yml": settYml({ echo: "" }),
  });
  await other.commit("Add a sett");
  const taken = await other.sett("up", "--name", left.name);
  expect(taken.code).not.toBe(0);
  expect(taken.err).toContain(left.name);
  const second = await left.sett("up", "--name", `${left.name}-2`);
  expect(second.code).not.toBe(0);
  expect(second.err).toContain(left.name);
  expect(await left.need("list")).toContain(right.name);
  await other[Symbol.asyncDispose]();
  // Taking the refused one down must not have touched the instance that holds the name.
  expect(await left.need("status")).not.toBe("");
});
