// The blackboard as people have it, over the API: each call is a request, which the API checks
// against the rights of its token.
import { z } from "zod";
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import type { MalformedClaim } from "../../model/claim.ts";
import { SettError } from "../../model/errors.ts";
import { InstanceName } from "../../model/ids.ts";
import { type ApiAddress, askApi, longPatienceMs, readAnswer } from "./api-client.ts";
import {
  type LocalCallName,
  localCalls,
  mayBeTogether,
  type RemoteCallName,
  readsTogether,
  remoteCalls,
} from "./calls.ts";
import { decode, encode } from "./codec.ts";
import { followEvents } from "./follow-events.ts";
import { readTogether } from "./read-together.ts";
import type { ReadClaims } from "./serve-call.ts";

/** `instance`: as the API names it. Calls that a person does not make from afar throw `usage`. */
export function remoteBoard(address: ApiAddress, instance: string): PersonBlackboard {
  const sinceMs = performance.now();
  const ask = async (name: string, args: unknown, patience = {}) => {
    const response = await askApi(address, {
      method: "POST",
      path: `/v1/board/${name}`,
      body: encode(args),
      ...patience,
    });
    return await readAnswer(response, address.url, decode);
  };
  const alone = async (name: RemoteCallName, args: unknown[]) =>
    (await ask(
      name,
      args,
      remoteCalls[name].right === "read" ? {} : { patienceMs: longPatienceMs },
    )) ?? undefined;
  const read = readTogether<RemoteCallName>({
    alone,
    together: async (calls) =>
      z
        .array(z.unknown())
        .length(calls.length)
        .parse(await ask(readsTogether, calls)),
  });
  const call = (name: RemoteCallName, args: unknown[]) =>
    mayBeTogether(name) ? read(name, args) : alone(name, args);
  const calls = Object.fromEntries(
    (Object.keys(remoteCalls) as RemoteCallName[]).map((name) => [
      name,
      (...args: unknown[]) => call(name, args),
    ]),
  ) as Pick<PersonBlackboard, RemoteCallName>;
  const local = Object.fromEntries(localCalls.map((name) => [name, refuse]));
  return {
    ...calls,
    ...(local as Record<LocalCallName, typeof refuse>),
    instance: InstanceName.parse(instance),
    contactSince: () => sinceMs,
    contactProblem: () => undefined,
    connectionNumber: () => 0,
    onReconnect: () => () => {},
    async readClaims(
      ids: Parameters<PersonBlackboard["readClaims"]>[0],
      onMalformed?: (claim: MalformedClaim) => void,
    ) {
      const { claims, malformed } = (await call("readClaims", [ids])) as ReadClaims;
      for (const one of malformed) onMalformed?.(one);
      return claims;
    },
    followEvents: (from: string, signal: AbortSignal) => followEvents(address, from, signal),
    async [Symbol.asyncDispose]() {},
  };
}

function refuse(): never {
  throw new SettError("usage", "This cannot be done through the API.", {
    hint: "Do it on the machine where the instance runs, without SETT_API.",
  });
}
