// What lib/proof says of signatures is what `ssh-keygen -Y verify` says of them, and the reverse.
import { expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problemOfAct } from "../../../lib/proof/signed-act.ts";
import { readSigners } from "../../../lib/proof/ssh/allowed-signers.ts";
import { isSignatureOf, readSshSignature } from "../../../lib/proof/ssh/signature.ts";
import { namespace, readStatement } from "../../../lib/proof/statement.ts";
import { sampleAct } from "../../support/proof/sample-act.ts";
import { sshKinds, sshSigner } from "../../support/proof/ssh-signer.ts";

async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), "sett-ssh-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test("what lib/proof takes for signed, ssh-keygen takes for signed, with each kind of key", async () => {
  await using folder = await openFolder();
  const verify = (args: readonly string[], content: string) =>
    Bun.spawnSync(["ssh-keygen", "-Y", "verify", "-f", "signers", "-I", "ada", ...args], {
      cwd: folder.path,
      stdin: Buffer.from(content),
    }).exitCode === 0;
  for (const kind of sshKinds) {
    const signer = sshSigner(kind);
    await writeFile(join(folder.path, "signers"), signer.line("ada"));
    await writeFile(join(folder.path, "text.sig"), signer.sign("one\n"));
    const args = ["-n", namespace, "-s", "text.sig"];
    expect([kind, verify(args, "one\n")]).toEqual([kind, true]);
    expect([kind, verify(args, "two\n")]).toEqual([kind, false]);
  }
  // The times of a line are the same for both.
  const { signer, order, marks, at } = sampleAct();
  await writeFile(join(folder.path, "text.sig"), marks.signature);
  const second = (ms: number) =>
    `${new Date(ms).toISOString().slice(0, 19).replace(/[-T:]/g, "")}Z`;
  for (const [after, before] of [
    [-1, 1],
    [0, 1],
    [-1, 0],
    [0, 0],
    [1, 2],
    [-2, -1],
  ] as const) {
    const times = [after, before].map((seconds) => second(at + seconds * 1000));
    const line = signer.line("ada", `valid-after="${times[0]}",valid-before="${times[1]}"`);
    await writeFile(join(folder.path, "signers"), line);
    const isTaken = verify(
      ["-n", namespace, "-s", "text.sig", `-Overify-time=${second(at)}`],
      marks.statement,
    );
    const { signers } = readSigners(line.replace("ada", order.stated.principal));
    expect([line, problemOfAct(marks, { ...order, signers }) === undefined]).toEqual([
      line,
      isTaken,
    ]);
  }
});

test("what ssh-keygen signs is signed for lib/proof", async () => {
  await using folder = await openFolder();
  const text = sampleAct().marks.statement;
  await writeFile(join(folder.path, "text"), text);
  for (const kind of ["ed25519", "ecdsa", "rsa"]) {
    const key = join(folder.path, kind);
    const run = (args: readonly string[]) => {
      const { exitCode, stderr } = Bun.spawnSync(["ssh-keygen", ...args], { cwd: folder.path });
      if (exitCode !== 0) throw new Error(stderr.toString());
    };
    run(["-q", "-t", kind, "-b", kind === "rsa" ? "2048" : "256", "-N", "", "-f", key]);
    run(["-Y", "sign", "-n", namespace, "-f", key, "text"]);
    const signature = readSshSignature(await readFile(join(folder.path, "text.sig"), "utf8"));
    if (signature === undefined) throw new Error(`the signature by ${kind} cannot be read`);
    expect(signature.namespace).toBe(namespace);
    expect(isSignatureOf(signature, Buffer.from(text))).toBe(true);
    expect(isSignatureOf(signature, Buffer.from(`${text}\n`))).toBe(false);
    const { signers } = readSigners(`ada ${await readFile(`${key}.pub`, "utf8")}`);
    expect(signers[0]?.key).toEqual(signature.key);
    await rm(join(folder.path, "text.sig"));
  }
  expect(readStatement(text)?.act).toBe("approve");
});
