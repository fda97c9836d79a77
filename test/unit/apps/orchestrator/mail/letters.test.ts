import { expect, test } from "bun:test";
import { lettersOf } from "../../../../../apps/orchestrator/mail/letters.ts";
import { agentName, newClaimId } from "../../../../support/records/sample.ts";

const [coder, tester] = [agentName("coder"), agentName("tester")];
const [one, other] = [newClaimId(), newClaimId()];
const queued_at = "2026-01-01T00:00:00.000Z";

let places = 0;
const mail = (message: object, { agent = coder, quiet = true } = {}) => {
  places += 1;
  return {
    agent,
    place: `${places}-0`,
    id: `m${places}`,
    text: JSON.stringify({ ...(quiet && { quiet }), message }),
  };
};
const run = { started_at: queued_at, context_ids: [] };
const started = (claim = one, attempt = 1) => ({ say: "started", claim, attempt, queued_at, run });
const result = (claim = one, attempt = 1) => ({
  ...{ say: "result", claim, attempt, queued_at },
  result: { outcome: "done", artefact: { type: "Report", payload: "" } },
});

/** The ids of the messages that go together. */
const together = (...mails: ReturnType<typeof mail>[]) =>
  lettersOf(mails).map((letters) => letters.flatMap((letter) => letter?.mail.id ?? []));

test("a start goes with its result, whatever other claims and agents have sent between them", () => {
  const [start, between, stranger, end] = [
    mail(started()),
    mail(started(other)),
    mail(started(), { agent: tester }),
    mail(result()),
  ];
  expect(together(start, between, stranger, end)).toEqual([
    [start.id, end.id],
    [between.id],
    [stranger.id],
  ]);
});

test("each goes by itself where something about the same claim came between them", () => {
  const mails = [mail(started()), mail({ say: "alive", claim: one, attempt: 1 }), mail(result())];
  expect(together(...mails)).toEqual(mails.map(({ id }) => [id]));
});

const apart: Record<string, readonly [ReturnType<typeof mail>, ReturnType<typeof mail>]> = {
  "the start waits for an answer": [mail(started(), { quiet: false }), mail(result())],
  "the result is of another attempt": [mail(started()), mail(result(one, 2))],
  "the result does not say of which attempt it is": [
    mail(started()),
    mail({ ...result(), attempt: undefined }),
  ],
  "the result came first": [mail(result()), mail(started())],
  "one of them cannot be read": [mail({ say: "begun" }), mail(result())],
};

test.each(Object.keys(apart))("each goes by itself where %s", (why) => {
  const mails = apart[why] ?? [];
  expect(together(...mails)).toEqual(mails.map(({ id }) => [id]));
});

test("a second result goes by itself", () => {
  const mails = [mail(started()), mail(result()), mail(result())] as const;
  expect(together(...mails)).toEqual([[mails[0].id, mails[1].id], [mails[2].id]]);
});
