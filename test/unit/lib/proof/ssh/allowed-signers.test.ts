import { describe, expect, test } from "bun:test";
import { maxSignersBytes, readSigners } from "../../../../../lib/proof/ssh/allowed-signers.ts";
import { sshKinds, sshSigner } from "../../../../support/proof/ssh-signer.ts";

const signer = sshSigner();
const mistakesOf = (text: string) =>
  readSigners(text).mistakes.map(({ line, sentence }) => `${line}: ${sentence}`);

describe("a file of signers", () => {
  test("names keys of each kind, for one name or several", () => {
    const made = sshKinds.map((kind) => ({ kind, signer: sshSigner(kind) }));
    const text = made.map(({ kind, signer: { line } }) => line(`ada@example.org,${kind}`)).join("");
    const { signers, mistakes } = readSigners(text);
    expect(mistakes).toEqual([]);
    expect(signers.map(({ principals }) => principals[1])).toEqual([...sshKinds]);
    expect(signers.map(({ key }) => key)).toEqual(made.map(({ signer: { blob } }) => blob));
  });

  test("may have comments, empty lines, and line ends of Windows", () => {
    const text = `# us\n\n \t${signer.line("ada").trimEnd()} her laptop\n${signer.line("eve")}`;
    for (const one of [text, text.replaceAll("\n", "\r\n")]) {
      const { signers, mistakes } = readSigners(one);
      expect(mistakes).toEqual([]);
      expect(signers.map(({ principals }) => principals)).toEqual([["ada"], ["eve"]]);
    }
  });

  test("says for what a key is, and from when to when", () => {
    const options =
      'namespaces="statement@sett.dev,git",valid-after="20260101Z",valid-before="202612312359Z"';
    const [read] = readSigners(signer.line("ada", options)).signers;
    expect(read).toEqual({
      principals: ["ada"],
      namespaces: ["statement@sett.dev", "git"],
      after: Date.UTC(2026, 0, 1) / 1000,
      before: Date.UTC(2026, 11, 31, 23, 59) / 1000,
      key: signer.blob,
    });
    const [seconds] = readSigners(signer.line("ada", 'valid-after="20260101000001Z"')).signers;
    expect(seconds?.after).toBe(Date.UTC(2026, 0, 1) / 1000 + 1);
  });

  test("names what Sett cannot hold to, each with its line", () => {
    const form =
      "is not `NAMES [OPTIONS] TYPE KEY`: names of signers, such as an address, and a public key";
    const wrong: [line: string, sentence: string][] = [
      ["ada\n", form],
      ["ada \n", form],
      [`${signer.line("").trimStart()}`, form],
      [
        signer.line("*@example.org"),
        "has a pattern or quotation marks in its names: write each name out",
      ],
      [signer.line('"ada"'), "has a pattern or quotation marks in its names: write each name out"],
      [signer.line("ada,"), "has an empty name"],
      [
        signer.line("ada", "cert-authority"),
        "names an authority: Sett takes no certificates, so write the key of each person",
      ],
      [
        signer.line("ada", "no-touch-required"),
        "has an option that Sett does not know: `no-touch-required`",
      ],
      [signer.line("ada", 'namespaces="*"'), "has a pattern in `namespaces`: write each one out"],
      [signer.line("ada", 'namespaces="git",namespaces="git"'), "says `namespaces` twice"],
      [
        signer.line("ada", 'valid-after="20260101"'),
        'has no time in UTC after `valid-after`, such as "20261231Z" or "202612312359Z"',
      ],
      [
        signer.line("ada", 'valid-before="20260230Z"'),
        'has no time in UTC after `valid-before`, such as "20261231Z" or "202612312359Z"',
      ],
      [
        signer.line("ada", 'valid-before="20260101Z",valid-before="20260101Z"'),
        "says `valid-before` twice",
      ],
      [
        signer.line("ada", 'valid-after="20260101Z",valid-before="20260101Z"'),
        "ends by `valid-before` before it begins",
      ],
      [signer.line("ada", 'valid-before="2026'), form],
      [
        "ada ssh-ed25519 AAAA\n",
        "has no key of Ed25519, ECDSA, or RSA with 2048 bits or more, after `ssh-ed25519`",
      ],
      [
        signer.line("ada").replace("ssh-ed25519", "ssh-rsa"),
        "has no key of Ed25519, ECDSA, or RSA with 2048 bits or more, after `ssh-rsa`",
      ],
      [
        "ada ssh-ed25519-cert-v01@openssh.com AAAA\n",
        "has no key of Ed25519, ECDSA, or RSA with 2048 bits or more, after `ssh-ed25519-cert-v01@openssh.com`",
      ],
    ];
    for (const [line, sentence] of wrong)
      expect(mistakesOf(`# first\n${line}${signer.line("eve")}`)).toEqual([`2: ${sentence}`]);
    expect(mistakesOf("#".repeat(maxSignersBytes + 1))).toEqual([
      "1: the file has more than 1 MiB",
    ]);
  });
});
