// Receives one delivery of a forge's webhook: checks who has sent it, and states the goal.
import { SettError } from "../../../lib/model/errors.ts";
import type { WebhookTrigger } from "../../../lib/model/trigger.ts";
import { happenedOf } from "../../../lib/triggers/delivery-id.ts";
import type { ForgeEvent } from "../../../lib/triggers/forge-event.ts";
import { checkSignature, type Header } from "../../../lib/triggers/forge-signature.ts";
import { matchEvent } from "../../../lib/triggers/match-event.ts";
import { readForgeEvent } from "../../../lib/triggers/read-forge-event.ts";
import { type Fired, fireFor, type TriggerParts } from "./fire.ts";
import { short, skip } from "./skip.ts";

/**
 * `skipped`: it states no goal, and the reason says why. `ping`: the forge has tried the address.
 * `too-many`: it may come again in so many seconds.
 */
export type HookOutcome =
  | ({ outcome: "fired" } & Fired)
  | { outcome: "skipped"; reason: string }
  | { outcome: "ping" }
  | { outcome: "too-many"; seconds: number };

const forgeNames = { github: "GitHub", gitlab: "GitLab" };

/**
 * `readBody`: reads the body, which `onPart` sees as it comes, and throws where it is too large or
 * too slow.
 */
export type Delivery = {
  header: Header;
  readBody(onPart: (part: Uint8Array) => void): Promise<Uint8Array>;
};

/**
 * `waitOf`: asked once it is known who sends; how many seconds they must wait, undefined for none.
 * Throws `not-authenticated`, also before the body is read where the headers say enough; `usage`
 * for what Sett does not know; `not-ready`; and what posting a goal throws.
 */
export async function receiveHook(
  parts: TriggerParts,
  trigger: WebhookTrigger,
  { header, readBody }: Delivery,
  waitOf: () => number | undefined,
): Promise<HookOutcome> {
  const { deps } = parts;
  const secret = (await deps.secretOf?.(trigger.secret))?.trim();
  if (secret === undefined || secret === "") {
    const hint = "`sett up` gives it to the API.";
    throw new SettError(
      "not-ready",
      `The API does not have the secret ${trigger.secret}, with which deliveries are checked.`,
      {
        hint,
      },
    );
  }
  const check = checkSignature(trigger.forge, header, secret, deps.clock.now());
  if (check.kind === "refused") throw new SettError("not-authenticated", check.reason);
  const body = await readBody(check.part);
  const problem = check.problem();
  if (problem !== undefined) throw new SettError("not-authenticated", problem);
  const seconds = waitOf();
  if (seconds !== undefined) return { outcome: "too-many", seconds };
  const reading = readForgeEvent(trigger.forge, header, new TextDecoder().decode(body));
  if (reading.kind === "ping") return { outcome: "ping" };
  if (reading.kind === "unknown") throw new SettError("usage", reading.reason);
  const { event } = reading;
  const match = matchEvent(trigger, event);
  if (match.kind === "fires")
    return { outcome: "fired", ...(await state(parts, trigger, event, header)) };
  // An event that the trigger does not name is none of its affair.
  if (match.kind === "skip")
    await skip(parts, trigger, { cause: event.about, reason: match.reason });
  return { outcome: "skipped", reason: match.reason };
}

async function state(
  parts: TriggerParts,
  trigger: WebhookTrigger,
  event: ForgeEvent,
  header: Header,
): Promise<Fired> {
  const { about, commit, fields } = event;
  return await fireFor(parts, trigger, {
    happened: ["webhook", trigger.forge, ...happenedOf(trigger.forge, header, event)],
    cause: short(about),
    values: { ...fields, time: parts.deps.clock.now().toISOString() },
    source: forgeNames[trigger.forge],
    commit,
  });
}
