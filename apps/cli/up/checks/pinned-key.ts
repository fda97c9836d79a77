// `proof.key` of sett.yml: the notary has this key, and no other.
import type { SettConfig } from "../../../../lib/model/config.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import type { InstanceName } from "../../../../lib/model/ids.ts";
import { proofVolumeName } from "../../../../lib/runtime/names.ts";
import type { InstanceParts } from "../../../../lib/runtime/port.ts";
import { headOf, keysOf } from "../../audit/ask-notary.ts";
import { isServing } from "../../instance/place.ts";
import type { Shell } from "../../terminal/shell.ts";
import { type InstancePlan, plannedService } from "../plan/plan.ts";

type Input = {
  file: string;
  config: Pick<SettConfig, "proof">;
  instance: InstanceName;
  before: InstanceParts | undefined;
};

/**
 * It is asked before anything is replaced, and of a notary that stays as it is not at all: that one
 * has compared its key when it began. Neither is one judged that does not answer: the one that
 * `sett up` starts compares its key itself. Throws `config-invalid`.
 */
export async function requirePinnedKey(
  { file, config: { proof }, instance, before, plan }: Input & { plan: InstancePlan },
  shell: Shell,
): Promise<void> {
  const notary = before?.containers.find(({ labels }) => labels.component === "notary");
  if (proof.key === undefined || notary === undefined || !isServing(notary)) return;
  const { fingerprint } = plannedService(plan, "notary")?.spec.labels ?? {};
  if (fingerprint !== undefined && fingerprint === notary.labels.fingerprint) return;
  const head = await headOf(shell, instance).catch(() => undefined);
  if (head === undefined || head.key === proof.key) return;
  const { key } = head;
  if (head.all_keys.includes(proof.key)) {
    const named = `The key that ${file} pins has named another one in its place.`;
    shell.messages.warn(`${named} Pin that: proof: { key: "${key}" }`);
    return;
  }
  throw new SettError(
    "config-invalid",
    `${file} pins a key that the notary has not: it has ${key}`,
    {
      hint: `Nothing was changed. Did you mean this key? Write it as \`proof.key\`. If you did not expect it, ask who had access to the volume ${proofVolumeName(instance)}.`,
    },
  );
}

/** `before`: the instance had no proof volume then, so that its key is a new one. */
export async function sayNewKey(
  { file, config: { proof }, instance, before }: Input,
  shell: Shell,
): Promise<void> {
  const hadOne = before?.volumes.some(({ labels }) => labels.component === "proof");
  if (proof.mode === "off" || hadOne === true) return;
  // That it cannot be shown is no reason to take the instance back.
  const keys = await keysOf(shell, instance).catch(() => undefined);
  if (keys === undefined) return;
  shell.messages.note(`The log is sealed by the key ${keys.key}`);
  shell.messages.next(
    `Keep that key elsewhere, or pin it in ${file}: proof: { key: "${keys.key}" }`,
  );
}
