// `sett audit new-log`: where the key or the volume of the notary is lost, a person has a new log
// begun, which names the one that was lost.
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { proofVolumeName } from "../../../lib/runtime/names.ts";
import { personOf } from "../instance/person.ts";
import { openSession } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import { headOf } from "./ask-notary.ts";
import { besideNotary, repositoryOf } from "./export.ts";

type Order = { reason: string | undefined; name: string | undefined };

/** Bytes: each bundle of all has it. */
const maxReason = 1_000;

/** Throws `usage`, and `not-ready` where nothing is lost. */
export async function beginNewLog({ reason, name }: Order, shell: Shell): Promise<undefined> {
  const why = oneLine(reason ?? "").trim();
  if (why === "" || Buffer.byteLength(why) > maxReason)
    throw new SettError("usage", `Why is the log given up? In at most ${maxReason} bytes.`, {
      hint: 'It is sealed in the new one: sett audit new-log --reason "The disk was lost"',
    });
  await using session = await openSession(shell, name);
  const instance = besideNotary(session);
  const { board, place } = session;
  const checkpoint = await board.readCheckpoint();
  if (checkpoint === undefined)
    throw new SettError("not-ready", `Redis knows of no sealed log of ${instance}.`, {
      hint: "With `proof: on` in sett.yml, `sett up` begins one.",
    });
  const head = await headOf(shell, instance).catch(() => undefined);
  const [origin = "", size = ""] = checkpoint.split("\n");
  if (head?.checkpoint.startsWith(`${origin}\n`) && head.size >= Number(size))
    throw new SettError("not-ready", `The notary of ${instance} has its log: nothing is lost.`, {
      hint: "Where only the key may have been read: sett audit rotate-key",
    });
  const by = await personOf(await repositoryOf(place, shell), shell);
  const at = new Date(await board.time()).toISOString();
  await board.leaveProof({ checkpoint, by, reason: why, at });
  shell.messages.done(`The log ${oneLine(origin)} of ${oneLine(size)} entries is given up.`);
  shell.messages.next(
    `Where the volume ${proofVolumeName(instance)} is still there, keep a copy and remove it. Then, with \`proof: on\` in sett.yml: ${shell.suggest("up")}`,
  );
}
