import { describe, expect, test } from "bun:test";
import {
  openNote,
  readVerifierKey,
  signNote,
  verifierKeyText,
} from "../../../../lib/proof/note.ts";
import { newKey } from "../../../support/proof/bundle.ts";

// The example of golang.org/x/mod/sumdb/note.
const peter = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const quote =
  "If you think cryptography is the answer to your problem,\n" +
  "then you don't know what your problem is.\n\n" +
  "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

describe("a signed note", () => {
  test("of others is read by their key", () => {
    const key = readVerifierKey(peter);
    if (key === undefined) throw new Error("the key cannot be read");
    expect(openNote(quote, key)).toStartWith("If you think");
    expect(verifierKeyText(key)).toBe(peter);
    expect(openNote(quote.replace("answer", "Answer"), key)).toBeUndefined();
  });

  test("is opened by its key alone, and only as it is", () => {
    const [{ signer, verifier }, other] = [newKey(), newKey()];
    const note = signNote("one\n\ntwo\n", signer);
    expect(openNote(note, verifier)).toBe("one\n\ntwo\n");
    expect(openNote(note, other.verifier)).toBeUndefined();
    const more = `${note}— witness.example AAAAAAAAAAAA\n`;
    expect(openNote(more, verifier)).toBe("one\n\ntwo\n");
    for (const damaged of [
      note.slice(0, -1),
      note.replace("two", "twO"),
      `${note}x\n`,
      note.replace("one", "on\u0007e"),
      "one\n",
      "",
    ])
      expect(openNote(damaged, verifier)).toBeUndefined();
  });

  test.each([
    "",
    "demo+00000000",
    `${peter}A`,
    peter.replace("c74f20a3", "c74f20a4"),
    peter.replace("PeterNeumann", "Peter Neumann"),
    "x+c74f20a3+BFpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    "-----BEGIN PUBLIC KEY-----",
  ])("has no key from %j", (text) => {
    expect(readVerifierKey(text)).toBeUndefined();
  });
});
