// `gateway --put-secrets`: writes the secrets of agents into the folders of the keeper, which each
// agent sees its own of.
import { Buffer } from "node:buffer";
import { z } from "zod";
import { SecretName } from "../../lib/model/config-secrets.ts";
import { SettError } from "../../lib/model/errors.ts";
import { AgentName } from "../../lib/model/ids.ts";
import { KeyFolder } from "./keys.ts";

const Secrets = z.record(AgentName, z.record(SecretName, z.base64()));

/**
 * `text`: JSON, agent → secret → value in base64. `folderOf`: undefined for an agent that the
 * keeper does not know, which is passed over. Throws `usage`, without a part of the text.
 */
export async function putSecrets(
  text: string,
  folderOf: (agent: string) => string | undefined,
): Promise<void> {
  for (const [agent, secrets] of Object.entries(parse(text))) {
    const folder = folderOf(agent);
    if (folder === undefined) continue;
    const values = Object.entries(secrets).map(
      ([name, value]) => [name, Buffer.from(value, "base64")] as const,
    );
    await new KeyFolder(folder).put(new Map(values));
  }
}

function parse(text: string): z.infer<typeof Secrets> {
  try {
    return Secrets.parse(JSON.parse(text));
  } catch {
    throw new SettError("usage", "The secrets on stdin cannot be read.", {
      hint: 'Write JSON with each agent\'s secrets in base64: {"builder":{"token":"…"}}',
    });
  }
}
