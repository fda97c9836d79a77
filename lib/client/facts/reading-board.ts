// The part of a blackboard that commands need to show the past; an archive provides it, too.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";

export type ReadingBoard = Pick<
  PersonBlackboard,
  | "instance"
  | "time"
  | "readArtefact"
  | "readArtefacts"
  | "readRecord"
  | "readOutput"
  | "readHeads"
  | "findOverwritten"
  | "findArtefacts"
  | "readGoal"
  | "answersOf"
  | "listArtefacts"
  | "countArtefacts"
  | "listGoals"
  | "countGoals"
  | "listCommits"
  | "listAgents"
  | "listArtefactsOfGoal"
  | "claimsOfArtefact"
  | "readClaims"
  | "readCalls"
  | "readEvents"
  | "readFacts"
  | "endOfEvents"
>;
