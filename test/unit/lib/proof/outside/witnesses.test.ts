import { describe, expect, test } from "bun:test";
import { newPrivateKey, signerKey, verifierKeyText } from "../../../../../lib/proof/note.ts";
import { readPolicy } from "../../../../../lib/proof/outside/witnesses.ts";
import { newWitness } from "../../../../support/proof/outside-bundles.ts";

const [one, two, three] = ["one.example", "two.example", "three.example"].map(newWitness);
const log = verifierKeyText(signerKey(newPrivateKey(), () => "demo.sett.invalid/1a2b3c4d"));
const keys = `witness 1 ${one?.text}\nwitness 2 ${two?.text}\nwitness 3 ${three?.text}\n`;

function policyOf(text: string) {
  const policy = readPolicy(text);
  if (typeof policy === "string") throw new Error(policy);
  return policy;
}
const isEnough = (text: string, ...names: string[]) =>
  policyOf(text).quorum?.(new Set(names)) ?? "none";

describe("a policy of witnesses", () => {
  test("asks for one, any, all, some, and groups of groups", () => {
    const of = (rest: string) => (names: string) => isEnough(`${keys}${rest}`, ...names);
    const rows: [rest: string, enough: string[], few: string[]][] = [
      ["quorum 2\n", ["2", "12"], ["", "13"]],
      ["group g any 1 2\nquorum g\n", ["1", "2"], ["", "3"]],
      ["group g all 1 2\nquorum g", ["12", "123"], ["1", "2", "13"]],
      ["group g 2 1 2 3\nquorum g\n", ["12", "13", "23"], ["1", "3"]],
      ["group a any 1 2\n\tgroup b all  a 3 \nquorum b\n", ["13", "23"], ["12", "3"]],
    ];
    for (const [rest, enough, few] of rows) {
      expect([rest, enough.map(of(rest))]).toEqual([rest, enough.map(() => true)]);
      expect([rest, few.map(of(rest))]).toEqual([rest, few.map(() => false)]);
    }
    expect(isEnough("# None.\n\nquorum none\n")).toBe("none");
  });

  test("names the logs and the witnesses", () => {
    const { logs, witnesses } = policyOf(`log ${log} https://log.example/\n${keys}quorum none`);
    expect(logs.map(({ name }) => name)).toEqual(["demo.sett.invalid/1a2b3c4d"]);
    expect([...witnesses.values()].map(({ name }) => name)).toEqual([
      ...["one.example", "two.example", "three.example"],
    ]);
  });

  test("is refused with the number of the line that is wrong", () => {
    const rows: [text: string, why: string][] = [
      ["", "It has no quorum."],
      [keys, "It has no quorum."],
      ["quorum x\n", "Line 1 asks for what is not named before it."],
      ["quorum none\nquorum none\n", "Line 2 is not as c2sp.org/tlog-policy has it."],
      [`log ${one?.text}\n`, "Line 1 has no key of a log, or one twice."],
      [`log ${log}\nlog ${log}\n`, "Line 2 has no key of a log, or one twice."],
      [`witness a ${log}\n`, "Line 1 has no key of a witness with Ed25519, or one twice."],
      [
        `${keys}witness 4 ${one?.text}`,
        "Line 4 has no key of a witness with Ed25519, or one twice.",
      ],
      [`${keys}witness 1 ${one?.text}`, "Line 4 is not as c2sp.org/tlog-policy has it."],
      ["group none any a\n", "Line 1 is not as c2sp.org/tlog-policy has it."],
      ["group g any\n", "Line 1 is not as c2sp.org/tlog-policy has it."],
      ["group g any a\n", "Line 1 is no group of what is named before it, each once."],
      [`${keys}group g any 1 1\n`, "Line 4 is no group of what is named before it, each once."],
      [`${keys}group g 3 1 2\n`, "Line 4 is no group of what is named before it, each once."],
      [`${keys}group g 0 1\n`, "Line 4 is no group of what is named before it, each once."],
      ["quorum none\r\n", "Line 1 has a control character."],
      ["Log x\n", "Line 1 is not as c2sp.org/tlog-policy has it."],
    ];
    for (const [text, why] of rows) expect([text, readPolicy(text)]).toEqual([text, why]);
    expect(readPolicy(Buffer.from("# \xff\nquorum none\n", "latin1"))).toBe("It is no UTF-8.");
  });
});
