// Reads the needs of a grant's work in one function, which may take the grant as well.
import type { Artefact } from "../../model/artefact.ts";
import { messageOf } from "../../model/errors.ts";
import type { ArtefactId, ClaimId } from "../../model/ids.ts";
import type { ClaimOfWork, GrantBoard, WorkInputs, WorkToDo } from "../port/grants.ts";
import { artefactFieldNames } from "../records/artefact-field-names.ts";
import { artefactOfFields } from "../records/artefact-fields.ts";
import { contextDepth, oldestFirst } from "../records/context-chain.ts";
import { defaultContextBytes, pieceBytes } from "../records/context-limit.ts";
import { grantOfText } from "./claim-fields.ts";
import type { Deps } from "./deps.ts";

export function beginWorkOf({
  keys,
  callOn,
}: Pick<Deps, "keys" | "callOn">): GrantBoard["beginWork"] {
  return async ({ claim, agent, run, message, maxBytes = defaultContextBytes, readOn }) => {
    const stored = { taken: keys.agentTaken(agent), mail: keys.mailOut(agent) };
    const [outcome, ...words] = await callOn(readOn)("beginWork", stored, {
      ...{ claim, agent, run, id: message.id, may_take: message.mayTake },
      ...{ said_before: message.saidBefore, said_after: message.saidAfter },
      ...{ max_steps: contextDepth, max_bytes: Math.min(pieceBytes, maxBytes) },
    });
    if (outcome === "refused") return { outcome, reason: words[0] ?? "" };
    if (outcome !== "taken" && outcome !== "read")
      return { outcome: outcome === "apart" ? "apart" : "none" };
    return { outcome, ...workOf(claim, words, keys.artefact) };
  };
}

type Entry = { steps: string; at: string; values: readonly string[] };

const size = artefactFieldNames.length;

/** The words of lua/begin-work.lua; what functions wrote is trusted. */
function workOf(id: ClaimId, words: readonly string[], keyOf: (id: string) => string): WorkToDo {
  const [grant = "", artefact_id = "", goal_id, kind, additional = "[]", ...more] = words;
  const [pieces = "", results = "", ...rest] = more;
  const claim = {
    id,
    artefact_id,
    goal_id,
    kind,
    additional_context_ids: JSON.parse(additional),
    ...(pieces !== "" && { pieces: JSON.parse(pieces) }),
  } as ClaimOfWork;
  const entries: Entry[] = [];
  for (let from = size; from < rest.length; from += 2 + size) {
    const [steps = "", at = "", ...values] = rest.slice(from, from + 2 + size);
    entries.push({ steps, at, values });
  }
  const work = {
    claim,
    grant: grantOfText(grant),
    earlier: results === "" ? [] : (results.split(" ") as ArtefactId[]),
    contextIds: entries.map(({ at }) => at as ArtefactId),
  };
  const ids = [
    ...new Set([...work.earlier, ...claim.additional_context_ids, ...(work.grant.dialogue ?? [])]),
  ];
  return {
    ...work,
    inputs: inputsOf(
      { steps: "", at: artefact_id, values: rest.slice(0, size) },
      entries,
      ids,
      keyOf,
    ),
  };
}

function inputsOf(
  target: Entry,
  entries: readonly Entry[],
  additional: readonly ArtefactId[],
  keyOf: (id: string) => string,
): WorkToDo["inputs"] {
  try {
    const found = entries.map((entry) => ({ ...entry, artefact: artefactOf(entry, keyOf) }));
    const byPlace = new Map(found.map(({ at, artefact }) => [at, artefact]));
    const near = found.flatMap(({ steps, artefact }) =>
      steps === "" ? [] : [{ artefact, depth: Number(steps) }],
    );
    const value: WorkInputs = {
      target: artefactOf(target, keyOf),
      chain: oldestFirst(near),
      additional: additional.flatMap((id) => byPlace.get(id) ?? []),
    };
    return { ok: true, value };
  } catch (error) {
    return { ok: false, reason: messageOf(error) };
  }
}

function artefactOf({ at, values }: Entry, keyOf: (id: string) => string): Artefact {
  const fields = Object.fromEntries(artefactFieldNames.map((name, place) => [name, values[place]]));
  const artefact = artefactOfFields(fields, keyOf(at));
  // The function leaves out what is not complete.
  if (artefact === undefined) throw new Error(`The artefact at ${keyOf(at)} is not complete.`);
  return artefact;
}
