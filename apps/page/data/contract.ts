// The API's answers as the page reads them, by the types of the API's own schemas. Page and server
// are one build, so nothing is parsed again.

export type { Agent as AgentView, Lane as LaneView } from "../../../lib/api/agent.ts";
export type {
  ArtefactDetails as ArtefactDetail,
  ArtefactHead,
  ArtefactItem,
} from "../../../lib/api/artefact.ts";
export type { Brief as BriefView, Opinion as OpinionView } from "../../../lib/api/brief.ts";
export type {
  ClaimView,
  GrantView as Grant,
  Waiting as WaitingView,
} from "../../../lib/api/claim.ts";
export type { Page } from "../../../lib/api/common.ts";
export type { Cost as CostView } from "../../../lib/api/cost.ts";
export type {
  Failure as FailureView,
  Goal as GoalDetail,
  GoalStateWord as GoalState,
  GoalSummary,
} from "../../../lib/api/goal.ts";
export type {
  Graph as GraphView,
  GraphClaim,
  GraphNode as NodeView,
} from "../../../lib/api/graph.ts";
export type { Inquiry } from "../../../lib/api/inquiry.ts";
export type { Instance } from "../../../lib/api/instance.ts";
export type { Result as ResultView } from "../../../lib/api/result.ts";
export type { Story as StoryView } from "../../../lib/api/story.ts";
export type { Transcript as TranscriptView } from "../../../lib/api/transcript.ts";
export type { Right } from "../../../lib/model/api-access.ts";
export type { SettEvent } from "../../../lib/model/event.ts";
