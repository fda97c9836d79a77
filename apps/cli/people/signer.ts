// A person signs what they do with a key of SSH, before it is stored.
import { Buffer } from "node:buffer";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Sign } from "../../../lib/client/actions/sign.ts";
import { statementOf } from "../../../lib/client/actions/sign-elsewhere.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Meaning } from "../../../lib/model/meaning.ts";
import { isSignatureOf, readSshSignature } from "../../../lib/proof/ssh/signature.ts";
import { namespace } from "../../../lib/proof/statement.ts";
import type { Place } from "../instance/place.ts";
import type { Shell } from "../terminal/shell.ts";
import { runSigner, type SshSigner } from "./run-signer.ts";

/** `key`: of `--sign-with`, else the one by which git signs. Throws `usage`. */
export async function signerWith(
  { key, meaning }: { key: string | undefined; meaning: Meaning | undefined },
  { workspace }: Pick<Place, "workspace">,
  shell: Shell,
): Promise<Sign> {
  const signer = await sshSignerOf(key, workspace, shell);
  return async (stated, at) => {
    const statement = statementOf(stated, at, meaning);
    const signature = await runSigner(statement, signer, shell);
    const read = readSshSignature(signature);
    const isSigned = read?.namespace === namespace && isSignatureOf(read, Buffer.from(statement));
    if (isSigned) return { statement, signature };
    throw new SettError(
      "command-failed",
      `\`${oneLine(signer.program)}\` has made no signature of SSH that Sett can read: nothing was posted.`,
      { hint: "Keys of Ed25519, ECDSA, and RSA with 2048 bits or more can sign." },
    );
  };
}

/** `--sign-with`, else the key by which git signs. Throws `usage`. */
async function sshSignerOf(
  key: string | undefined,
  workspace: string | undefined,
  { env, cwd }: Shell,
): Promise<SshSigner> {
  const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
  const repository =
    workspace === undefined || workspace === ""
      ? undefined
      : await HostRepository.open(workspace, { env }).catch(() => undefined);
  const { format, key: ofGit, program = "ssh-keygen" } = (await repository?.sshSigner()) ?? {};
  if (key !== undefined) return { program, ...keyOf(key, cwd, env) };
  const hint = "Name a key: --sign-with ~/.ssh/id_ed25519";
  if (ofGit === undefined || ofGit === "")
    throw new SettError("usage", "--sign knows no key: git has no `user.signingkey`.", { hint });
  if (format !== "ssh" && !isLiteral(ofGit) && !ofGit.includes("/"))
    throw new SettError("usage", "`user.signingkey` in git is a key of gpg, and none of SSH.", {
      hint,
    });
  return { program, ...keyOf(ofGit, workspace ?? cwd, env) };
}

type Environment = Shell["env"];

function keyOf(
  text: string,
  folder: string,
  { HOME = homedir() }: Environment,
): Pick<SshSigner, "file" | "publicKey"> {
  if (isLiteral(text)) return { file: undefined, publicKey: text.replace(/^key::/, "") };
  const path = text.startsWith("~/") ? join(HOME, text.slice(2)) : text;
  return { file: resolve(folder, path), publicKey: undefined };
}

/** Git takes a public key in the place of a file, too. */
function isLiteral(key: string): boolean {
  return /^(?:key::|(?:sk-)?(?:ssh|ecdsa)-\S+ )/.test(key);
}
