// An instance takes what people do, or not, by the rule of `people` in sett.yml.
import { expect, test } from "bun:test";
import { type StatedAct, signed, signingOf } from "../../../../../lib/client/actions/sign.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import type { Actor } from "../../../../../lib/model/event.ts";
import type { InstanceName } from "../../../../../lib/model/ids.ts";
import type { Signing } from "../../../../../lib/model/people.ts";
import { statementText } from "../../../../../lib/proof/statement.ts";
import { sshSigner } from "../../../../support/proof/ssh-signer.ts";
import { sampleAgent, sampleArtefact } from "../../../../support/records/sample.ts";

const instance = "garden" as InstanceName;
const ada: Actor = "person:Ada Lovelace <ada@example.org>";
const own = sshSigner();
const others = sshSigner();
const people = [{ name: "ada", email: "Ada@example.org" }];
const rule: Signing = {
  signers: own.line("ada@example.org") + others.line("bob@example.org"),
  people,
};
const required: Signing = { ...rule, required: true };
const about = "33333333-3333-4333-8333-333333333333" as never;

const ofAct = (over: Partial<Artefact>) => sampleArtefact({ produced_by_agent: "", ...over });
const verdict = {
  ...{ structural_type: "Review" as const, type: "Review" },
  source_artefacts: [about],
};
const acts = {
  approve: ofAct({ ...verdict, payload: "{}", produced_by_agent: "owner" }),
  reject: ofAct({ ...verdict, payload: '{"reason":"No"}', produced_by_agent: "owner" }),
  answer: ofAct({ structural_type: "Answer", type: "Answer", source_artefacts: [about] }),
  forage: goalOf(sampleArtefact({ structural_type: "Standard", type: "GoalDefined" })),
};

function goalOf(artefact: Artefact): Artefact {
  return { ...artefact, produced_by_agent: "", goal_id: artefact.id as never };
}

/** Signs the act as a person would, `change` of the statement before. */
const signs =
  (key = own, change: Record<string, string> = {}) =>
  async (stated: StatedAct) => {
    const at = new Date().toISOString();
    const statement = statementText({
      ...{ sett_statement: "1", meaning: "approval", at },
      ...{ ...stated, ...change },
    });
    return { statement, signature: key.sign(statement) };
  };

type Attempt = { signing?: Signing; sign?: ReturnType<typeof signs>; actor?: Actor };

async function attempt(artefact: Artefact, { signing, sign, actor = ada }: Attempt) {
  const agents = [sampleAgent("owner", { ...(signing && { signing }) })];
  const board = { instance, listAgents: async () => agents };
  const suggest = (command: string) => `sett ${command} --name garden`;
  try {
    const order = { artefact, actor, content: "ab".repeat(32) };
    const stored = await signed({ board, sign, suggest }, order);
    return stored.metadata.signature === undefined ? "stored" : "stored with its signature";
  } catch (error) {
    if (!(error instanceof SettError)) throw error;
    return `${error.code}: ${error.message} ${error.hint}`;
  }
}

test("each act of a person that has to be signed is refused without, with the command that signs it", async () => {
  const id = "33333333";
  for (const [act, sentence] of Object.entries({
    approve: `An approval needs the signature of a person: \`people\` in sett.yml has \`signed: required\`. On the command line: sett approve ${id} --for owner --sign --name garden`,
    reject: `On the command line: sett reject ${id} --for owner --reason "…" --sign --name garden`,
    answer: `On the command line: sett answer ${id} "…" --sign --name garden`,
    forage: 'On the command line: sett forage --goal "…" --sign --name garden',
  })) {
    const artefact = acts[act as keyof typeof acts];
    const refused = await attempt(artefact, { signing: required });
    expect(refused).toStartWith("request-refused: ");
    expect(refused).toEndWith(sentence);
    const byAssistant: Actor = "person:Ada Lovelace, by claude-code <ada@example.org>";
    expect(await attempt(artefact, { signing: required, actor: byAssistant })).toBe(refused);
    expect(await attempt(artefact, { signing: required, sign: signs() })).toBe(
      "stored with its signature",
    );
    expect(await attempt(artefact, { signing: rule })).toBe("stored");
    expect(await attempt(artefact, {})).toBe("stored");
  }
});

test("a goal of a trigger is none of a person, and the verdict of a forge is no signature", async () => {
  const signing = required;
  expect(await attempt(acts.forage, { signing, actor: "trigger:nightly" })).toBe("stored");
  expect(await attempt(acts.approve, { signing, actor: "forge:hub" })).toContain(
    "An approval needs the signature of a person",
  );
  const work = sampleArtefact({ type: "Report" });
  expect(await attempt(work, { signing })).toBe("stored");
});

test.each([
  ["of another's key", signs(others), ada, "No line of the signers has this key for this name."],
  ["of a key that is in no line", signs(sshSigner()), ada, "No line of the signers has this key"],
  [
    "for another who has signed",
    signs(others),
    "person:Bob <bob@example.org>",
    "`people` in sett.yml has no bob@example.org.",
  ],
  [
    "in the name of another",
    signs(own, { principal: "ada@example.org", name: "Ada Lovelace <ada@example.org>" }),
    "person:Eve <eve@example.org>",
    "`people` in sett.yml has no eve@example.org.",
  ],
  ["of another version", signs(own, { content: `sha256:${"cd".repeat(32)}` }), ada, "in: content."],
  ["of another instance", signs(own, { instance: "field" }), ada, "differ in: instance."],
  ["of another act", signs(own, { act: "reject" }), ada, "differ in: act."],
] as const)("a signature %s does not count, whether one is needed or not", async (...row) => {
  const [, sign, actor, sentence] = row;
  for (const signing of [rule, required]) {
    const refused = await attempt(acts.approve, { signing, sign, actor });
    expect(refused).toStartWith("request-refused: The signature does not count. ");
    expect(refused).toContain(sentence);
  }
  // Without the file of the keys there is nothing to compare it with.
  expect(await attempt(acts.approve, { sign, actor })).toBe("stored with its signature");
});

test("a key that is no longer valid does not count, and a name without an address is that of a person", async () => {
  const over = { ...required, signers: own.line("ada@example.org", 'valid-before="20200101Z"') };
  expect(await attempt(acts.answer, { signing: over, sign: signs() })).toContain(
    "The key was not valid for this name at that time.",
  );
  const named = { ...required, signers: own.line("ada") };
  const by = { signing: named, sign: signs(), actor: "person:ada" as Actor };
  expect(await attempt(acts.answer, by)).toBe("stored with its signature");
});

test("the rule is that of any registration, since one that was written by hand may have none", () => {
  const agents = [sampleAgent("by-hand"), sampleAgent("owner", { signing: required })];
  expect(signingOf(agents)).toEqual(required);
  expect(signingOf([])).toBeUndefined();
});
