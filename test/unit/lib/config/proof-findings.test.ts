// `proof.key` of sett.yml: which texts are a key, and what is said of the others.
import { expect, test } from "bun:test";
import { parseConfig } from "../../../../lib/config/parse-config.ts";
import { newAttestationKey } from "../../../../lib/proof/attestation.ts";
import { verifierKeyText } from "../../../../lib/proof/note.ts";
import { newKey } from "../../../support/proof/bundle.ts";
import { newWitness } from "../../../support/proof/outside-bundles.ts";

const key = verifierKeyText(newKey().verifier);

function parsed(proof: object) {
  const agents =
    "agents: { a: { image: some/image:1, command: [run], bids: [{ on: X, bid: claim }] } }";
  const text = `version: '1.0'\nproof: ${JSON.stringify(proof)}\n${agents}\n`;
  const { config, mistakes } = parseConfig({ text, file: "sett.yml", folder: "/work", host: {} });
  return config?.proof ?? mistakes.map(({ path, sentence }) => `${path} ${sentence}`);
}

test("a key that is pinned turns the proof on, and may be required as well", () => {
  expect(parsed({ key })).toEqual({ mode: "on", key });
  expect(parsed({ key, required: true })).toEqual({ mode: "required", key });
});

test("what is no key of a log is a mistake, and a PEM or a witness's key has its own sentence", () => {
  const wrong = (text: string) => parsed({ key: text });
  expect(wrong(newAttestationKey())).toEqual([
    "proof.key is a PEM: take the line that `sett audit key` prints without --pem",
  ]);
  expect(wrong(newWitness("w.example").text)).toEqual([
    "proof.key is the key of a witness, and not that of a log",
  ]);
  for (const text of ["", "demo.key", `${key}A`, `${key}\n`, key.replace("+", "+0")])
    expect(wrong(text)).toEqual([
      expect.stringMatching(/^proof\.key is no verifier key: one line as `sett audit key` prints/),
    ]);
});
