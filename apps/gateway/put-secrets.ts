// `gateway --put-secrets`: writes the secrets of agents into the folders of the keeper, which each
// agent sees its own of.
import { Buffer } from "node:buffer";
import { z } from "zod";
import { SecretName } from "../../lib/model/config-secrets.ts";
import { AgentName } from "../../lib/model/ids.ts";
import { orderIn } from "../../lib/service/order-in.ts";
import { KeyFolder } from "./keys.ts";

/** An agent, or what prepares its workspace. */
const Holder = z.string().refine((holder) => AgentName.safeParse(nameIn(holder)).success);
const Secrets = z.record(Holder, z.record(SecretName, z.base64()));

function nameIn(holder: string): string {
  return holder.replace(/\.prepare$/, "");
}

/**
 * `text`: JSON, holder → secret → value in base64. `folderOf`: undefined for a holder that the
 * keeper does not know, which is passed over. Throws `usage`, without a part of the text.
 */
export async function putSecrets(
  text: string,
  folderOf: (holder: string) => string | undefined,
): Promise<void> {
  for (const [holder, secrets] of Object.entries(parse(text))) {
    const folder = folderOf(holder);
    if (folder === undefined) continue;
    const values = Object.entries(secrets).map(
      ([name, value]) => [name, Buffer.from(value, "base64")] as const,
    );
    await new KeyFolder(folder).put(new Map(values));
  }
}

function parse(text: string): z.infer<typeof Secrets> {
  return orderIn(text, {
    shape: Secrets,
    what: "The secrets",
    hint: 'Write JSON with each agent\'s secrets in base64: {"builder":{"token":"…"}}',
  });
}
