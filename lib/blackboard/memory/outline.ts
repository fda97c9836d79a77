// The artefacts on which a goal's state depends, on the memory blackboard: by the same rules as
// lua/read-outline.lua.
import { type ArtefactId, type ClaimId, CommitHash, type GoalId } from "../../model/ids.ts";
import type { GoalOutline } from "../port/artefacts.ts";
import { type ArtefactFields, artefactFieldNames } from "../records/artefact-fields.ts";
import type { State } from "./state.ts";

/**
 * As many as Redis looks at in one call, of which each names the first artefact of either kind that
 * is at rest.
 */
const outlinedAtOnce = 250;

export function outlineOf(state: State, goal: GoalId): GoalOutline {
  const ids = state.goals.get(goal)?.artefacts ?? [];
  const named: GoalOutline["named"] = new Map();
  let [claims, shown] = [0, new Set<string>()];
  ids.forEach((id, place) => {
    if (place % outlinedAtOnce === 0) shown = new Set();
    const causes = new Map(state.causes.get(id));
    claims += causes.size;
    const kind = state.artefacts.get(id)?.structural_type ?? "";
    const isRest = isAtRest(state, goal, id);
    if (isRest && shown.has(kind)) return;
    if (isRest) shown.add(kind);
    named.set(id, causes);
  });
  return { artefacts: ids.length, claims, named };
}

function isAtRest(state: State, goal: GoalId, id: ArtefactId): boolean {
  const fields = state.artefacts.get(id) ?? {};
  if (!isWhole(fields) || fields.logical_id === goal) return false;
  if (fields.claim_id === "" && fields.logical_id !== id) return false;
  const causes = state.causes.get(id) ?? new Map<string, ClaimId>();
  const claim = causes.get("standard");
  const hasOwnClaim = causes.size === 1 && claim !== undefined && !state.openClaims.has(claim);
  const isDone =
    fields.structural_type === "Standard"
      ? hasOwnClaim
      : fields.structural_type === "Review" && causes.size === 0;
  return isDone && isPlain(id, goal, fields);
}

function isWhole(fields: Partial<ArtefactFields>): fields is ArtefactFields {
  return artefactFieldNames.every((name) => fields[name] !== undefined);
}

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";
const oneId = new RegExp(`^${uuid}$`);
const listOfIds = new RegExp(`^\\[(?:"${uuid}"(?:,"${uuid}")*)?\\]$`);
const instant = /^\d{4}-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.\d{3}Z$/;
const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const maxTypeBytes = 200;

/**
 * Whether each field but the structural type is surely as our programs write it. A reader says what
 * is wrong with another one.
 */
export function isPlain(id: string, goal: string, fields: ArtefactFields): boolean {
  const {
    logical_id,
    version,
    type,
    source_artefacts,
    produced_by_role,
    created_at,
    claim_id,
    metadata,
  } = fields;
  const typeBytes = new TextEncoder().encode(type).byteLength;
  const isOwn = fields.id === id && fields.goal_id === goal && oneId.test(logical_id);
  const isNamed = typeBytes >= 1 && typeBytes <= maxTypeBytes && produced_by_role !== "";
  const isMade =
    listOfIds.test(source_artefacts) &&
    isInstant(created_at) &&
    (claim_id === "" || oneId.test(claim_id));
  return isOwn && isNamed && isMade && /^[1-9]\d{0,8}$/.test(version) && isMetadata(metadata);
}

function isInstant(text: string): boolean {
  const parts = instant.exec(text)?.slice(1).map(Number);
  if (parts === undefined) return false;
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  return day >= 1 && day <= (days[month - 1] ?? 0) && hour < 24 && minute < 60 && second < 60;
}

function isMetadata(text: string): boolean {
  if (!text.startsWith("{")) return false;
  try {
    const { summary = "", commit } = JSON.parse(text) as Record<string, unknown>;
    return (
      typeof summary === "string" && (commit === undefined || CommitHash.safeParse(commit).success)
    );
  } catch {
    return false;
  }
}
