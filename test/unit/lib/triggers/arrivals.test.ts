import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Arrival, placeArrival } from "../../../../lib/triggers/arrivals.ts";
import { turnOf } from "../../../../lib/triggers/forge-event.ts";

const begin = Date.parse("2026-11-24T10:00:00Z");

/** `at`: seconds since the first one. */
type Delivery = Pick<Arrival, "id" | "turn" | "time"> & {
  body: string;
  at?: number;
  subject?: string;
};

/** Places deliveries in order. */
function placed(deliveries: Delivery[]) {
  let recorded: string | undefined;
  return deliveries.map(({ body, at = 0, subject = "door refs/heads/main", ...rest }) => {
    const arrival = { subject, body: new TextEncoder().encode(body), ...rest };
    const { nth, value } = placeArrival(recorded, arrival, new Date(begin + at * 1_000));
    recorded = value ?? recorded;
    return `${body}${nth}`;
  });
}

test("what is made and undone within a second is an event each time", () => {
  const turns = ["a", "b", "a", "b", "a"].map((body, at) => ({ body, id: `${at}` }));
  expect(placed(turns)).toEqual(["a0", "b0", "a1", "b1", "a2"]);
});

test("what is delivered again is a repeat: at once, later, by another webhook, and with its own id", () => {
  const events = ["a", "b", "a"].map((body, at) => ({ body, id: `${at}` }));
  expect(placed([...events, { body: "a", id: "by hand" }]).at(-1)).toBe("a1");
  expect(placed([...events, { body: "b", id: "by hand", at: 60 }]).at(-1)).toBe("b0");
  expect(placed([...events, { body: "b", id: "1" }, { body: "a", id: "0" }])).toEqual([
    ...["a0", "b0", "a1"],
    ...["b0", "a0"],
  ]);
  const twice = events.flatMap((one) => [one, { ...one, id: `${one.id} of the other webhook` }]);
  expect(placed(twice)).toEqual(["a0", "a0", "b0", "b0", "a1", "a1"]);
});

test("all deliveries that are sent again by hand, one soon after the other, are repeats", () => {
  const events = ["a", "b", "a", "c"].map((body, at) => ({ body, id: `${at}` }));
  const again = [...events, ...events].map(({ body }, at) => ({ body, id: `again ${at}`, at: 10 }));
  const known = new Set(placed(events));
  for (const one of placed([...events, ...again]).slice(events.length))
    expect(known).toContain(one);
});

test("what cannot follow the event before is a repeat, however soon a person sends it again", () => {
  const push = (from: string | undefined, to: string, id: string) => ({
    ...{ body: `${from ?? ""}${to}`, id, turn: { from, to } },
  });
  const pushes = [push("a", "b", "0"), push("b", "c", "1"), push("a", "b", "by hand")];
  expect(placed(pushes)).toEqual(["ab0", "bc0", "ab0"]);
  const turns = [push("a", "b", "0"), push("b", "a", "1"), push("a", "b", "2")];
  expect(placed(turns)).toEqual(["ab0", "ba0", "ab1"]);
  // No push says that the branch was removed before it was made again.
  const made = [push(undefined, "a", "0"), push("a", "b", "1"), push(undefined, "a", "2")];
  expect(placed([...made, push("a", "b", "3")])).toEqual(["a0", "ab0", "a1", "ab1"]);
  const issue = (body: string, id: string) => ({ body, id, turn: turnOf(body) });
  const words = ["opened", "labeled", "closed", "opened", "reopened", "closed", "labeled"];
  expect(placed(words.map((body, at) => issue(body, `${at}`)))).toEqual([
    ...["opened0", "labeled0", "closed0", "opened0", "reopened0", "closed1", "labeled1"],
  ]);
});

test("what the forge has given an earlier time than the event between is a repeat", () => {
  // A push has the time of the change before it, in whole seconds.
  const push = (from: string, to: string, second: number) => ({
    ...{ body: `${from}${to}${second} `, turn: { from, to } },
    time: `2026-11-24T10:00:0${second}Z`,
  });
  const byHand = [push("a", "b", 0), push("b", "a", 1), push("a", "b", 0)];
  expect(placed(byHand.map((one, id) => ({ ...one, id: `${id}` })))).toEqual([
    ...["ab0 0", "ba1 0", "ab0 0"],
  ]);
  const withinOne = [push("a", "b", 1), push("b", "a", 1), push("a", "b", 1), push("b", "a", 1)];
  expect(placed(withinOne.map((one, id) => ({ ...one, id: `${id}` })))).toEqual([
    ...["ab1 0", "ba1 0", "ab1 1", "ba1 1"],
  ]);
  const labelled = (body: string, time: string, id: string) => ({ body, time, id });
  const issue = [
    ...[labelled("on", "2026-11-24T10:00:03Z", "0"), labelled("off", "no time", "1")],
    labelled("on", "2026-11-24T10:00:03Z", "2"),
  ];
  expect(placed(issue)).toEqual(["on0", "off0", "on1"]);
});

test("what another branch or issue does in between is none of this one's affair", () => {
  const other = { body: "b", id: "1", subject: "door refs/heads/other" };
  expect(placed([{ body: "a", id: "0" }, other, { body: "a", id: "2" }])).toEqual([
    ...["a0", "b0", "a0"],
  ]);
});

test("each of many turns within a second differs from all others, and the record stays small", () => {
  const turns = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 100 });
  fc.assert(
    fc.property(turns, (bodies) => {
      const changes = bodies.filter((body, at) => body !== bodies[at - 1]);
      const seen = placed(changes.map((body, at) => ({ body, id: `${at}` })));
      expect(new Set(seen).size).toBe(changes.length);
    }),
  );
  let recorded: string | undefined;
  for (let at = 0; at < 1_000; at += 1) {
    const arrival = { subject: `ref ${at}`, body: new Uint8Array([at % 256]), id: `${at}` };
    recorded = placeArrival(recorded, arrival, new Date(begin + at)).value;
  }
  expect(recorded?.length).toBeLessThan(20_000);
});
