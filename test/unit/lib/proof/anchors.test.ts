// What a clone has seen of a log shows that the log was not written anew.
import { expect, test } from "bun:test";
import { checkAnchors } from "../../../../lib/proof/anchors.ts";
import { readCheckpoint } from "../../../../lib/proof/formats.ts";
import { LogKeys } from "../../../../lib/proof/log-keys.ts";
import { openNote } from "../../../../lib/proof/note.ts";
import { asBundle } from "../../../support/proof/archive.ts";
import { goal, type Key, makeBundle, newKey, sampleEvents } from "../../../support/proof/bundle.ts";

const key = newKey();
const keys = new LogKeys(key.verifier);

async function bundleOf(events: typeof sampleEvents, about: { goal?: string } = {}, by: Key = key) {
  const files = await makeBundle(by, events, about);
  const note = Buffer.from(files.get("checkpoint") ?? []).toString();
  const checkpoint = readCheckpoint(openNote(note, by.verifier) ?? "");
  if (checkpoint === undefined) throw new Error("a bundle without a checkpoint");
  return { files: await asBundle(files), note, checkpoint };
}

const whole = await bundleOf(sampleEvents);
const seen = async (events: typeof sampleEvents, place: string, by?: Key) => ({
  ...{ place, checkpoint: (await bundleOf(events, {}, by)).note },
});
const anew = sampleEvents.with(1, { place: "1795230000000-1", type: "bid_placed", event: "{}" });

test("each earlier checkpoint of the same log is the root of its beginning, and the newest counts", async () => {
  const anchors = await Promise.all(
    [0, 1, 2, 3, 7, 8, 12].map((size) => seen(sampleEvents.slice(0, size), `at ${size}`)),
  );
  expect(await checkAnchors(anchors, { ...whole, keys, isOfGoal: false })).toMatchObject({
    newest: { anchor: { place: "at 12" }, size: 12 },
    problems: [],
  });
});

test("a log that was written anew contradicts what was seen of it before", async () => {
  const anchors = [await seen(anew.slice(0, 5), "before"), await seen(sampleEvents, "now")];
  const { newest, problems } = await checkAnchors(anchors, {
    ...{ ...whole, keys, isOfGoal: false },
  });
  expect(newest?.anchor.place).toBe("now");
  expect(problems.map(({ code, place }) => `${code} ${place}`)).toEqual(["anchor before"]);
});

test("what the key has not signed, and what the bundle does not reach, says nothing", async () => {
  const stranger = newKey();
  const more = [...sampleEvents, ...sampleEvents];
  const anchors = [
    await seen(anew, "of a stranger", stranger),
    await seen(more, "later"),
    { place: "no note", checkpoint: "hello" },
  ];
  expect(await checkAnchors(anchors, { ...whole, keys, isOfGoal: false })).toEqual({
    newest: undefined,
    problems: [],
  });
});

test("a bundle of a goal is compared with what was seen of a log of the same size", async () => {
  const ofGoal = await bundleOf(sampleEvents, { goal });
  const about = { ...ofGoal, keys, isOfGoal: true };
  const [same, other] = [await seen(sampleEvents, "same"), await seen(anew, "other")];
  const earlier = await seen(sampleEvents.slice(0, 4), "earlier");
  expect(await checkAnchors([earlier], about)).toEqual({ newest: undefined, problems: [] });
  expect((await checkAnchors([earlier, same], about)).newest?.anchor.place).toBe("same");
  expect((await checkAnchors([other], about)).problems).toHaveLength(1);
});
