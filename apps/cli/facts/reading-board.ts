// The part of a blackboard that commands need to show the past; an archive provides it, too.
import type { Blackboard } from "../../../lib/blackboard/port.ts";

export type ReadingBoard = Pick<
  Blackboard,
  | "instance"
  | "time"
  | "readArtefact"
  | "readArtefacts"
  | "readHeads"
  | "findArtefacts"
  | "readGoal"
  | "listGoals"
  | "countGoals"
  | "listArtefactsOfGoal"
  | "claimsOfArtefact"
  | "readClaims"
  | "readCalls"
  | "readEvents"
  | "endOfEvents"
>;
