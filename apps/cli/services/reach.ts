// The ways by which agents reach the services that know them: by sockets, or by TLS with a proof
// (`services.reach` in sett.yml).
import { createHmac } from "node:crypto";
import type { SettConfig } from "../../../lib/model/config.ts";
import type { Proof } from "../../../lib/model/proven-address.ts";
import { proofKeyOf } from "../../../lib/reach/keys.ts";
import type { Need } from "../../../lib/runtime/part-plan.ts";

export type Door = "gateway" | "egress" | "packs" | "recorder" | "starter" | "log-reader";

/**
 * `key`: the service's own, in hexadecimal digits. `authority`: the certificate, in DER, of the one
 * that signs those of the service.
 */
export type TlsDoor = { key: string; authority: Uint8Array };
/** These have one where nothing else leads to them, as in a cluster. */
type ApartDoors = Readonly<Record<"packs" | "recorder" | "starter" | "log-reader", TlsDoor>>;
export type TlsDoors = Readonly<Record<"gateway" | "egress", TlsDoor>> & Partial<ApartDoors>;

type WithReach = { services: Pick<SettConfig["services"], "reach"> };

/**
 * Undefined where agents reach services by sockets. All of it follows from the password of Redis'
 * owner, so that it lasts as long as the instance, and parts that stay need not be made anew.
 */
export async function tlsDoorsOf(
  { services }: WithReach,
  ownerPassword: string,
  { isApart = false }: { isApart?: boolean } = {},
): Promise<TlsDoors | undefined> {
  if (services.reach !== "tls") return undefined;
  const { authorityOf } = await import("../../../lib/reach/authority.ts");
  const doorFor = (door: Door): TlsDoor => {
    const key = createHmac("sha256", ownerPassword).update(`reach ${door}`).digest("hex");
    return { key, authority: authorityOf(key).certificate };
  };
  const doors = { gateway: doorFor("gateway"), egress: doorFor("egress") };
  if (!isApart) return doors;
  return {
    ...doors,
    ...{ packs: doorFor("packs"), recorder: doorFor("recorder"), starter: doorFor("starter") },
    "log-reader": doorFor("log-reader"),
  };
}

type WithDoors = { doors?: TlsDoors | undefined };

/** `way`: who calls. */
export function proofFor({ doors }: WithDoors, door: Door, way: string): Proof | undefined {
  const found = doors?.[door];
  if (found === undefined) return undefined;
  const { key, authority } = found;
  return { way, key: proofKeyOf(key, way), authority };
}

/** The need of a service that knows by the way who asks. */
export function serves({ doors }: WithDoors, door: Door, ways: readonly string[]): Need {
  const variable = "SETT_SOCKETS_DIR";
  const key = doors?.[door]?.key;
  return { kind: "serve", door, agents: ways, variable, ...(key !== undefined && { key }) };
}
