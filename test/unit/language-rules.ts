// The words that do not come back (CONTRIBUTING.md#language): what is looked for and where, what to
// say instead, and an example of each.

/**
 * `text`: every text file. `names`: what TypeScript and Lua declare and use, outside of comments
 * and strings. `paths`: names of files.
 */
type Where = "text" | "names" | "paths";

type LanguageRule = { where: Where; pattern: RegExp; instead: string; example: string };

const actor = "name the actor: a person, the caller, the process that …, no orchestrator";

export const languageRules: readonly LanguageRule[] = [
  // Sentences without an actor. `nobody:` is the user of that name in /etc/passwd; "stands in for"
  // belongs to the stand-in.
  { where: "text", pattern: /\bwhoever\b/i, instead: actor, example: "Whoever waits for it" },
  { where: "text", pattern: /\bnobody\b(?!:)/i, instead: actor, example: "nobody answers" },
  { where: "text", pattern: /\bsomebody\b/i, instead: actor, example: "somebody else's lease" },
  {
    where: "text",
    pattern: /\bstands\b(?! in for)/i,
    instead: "is, is written, is stored, counts",
    example: "what stands there",
  },
  {
    where: "text",
    pattern: /\btell(?:s|ing)? people\b/i,
    instead: "notify people",
    example: "Could not tell people",
  },
  {
    where: "text",
    pattern: /\bgoal\b(?: \S+)? is failed\b/i,
    instead: "the goal failed",
    example: "The goal ed094742 is failed.",
  },
  {
    where: "text",
    pattern: /\borchestrates\b/i,
    instead: "an orchestrator runs",
    example: "no process orchestrates",
  },

  // A sentence that takes another in has one full stop.
  {
    where: "names",
    pattern: /\bmessageOf\([^()]*\)\}\.[\s`]/,
    instead: "clauseOf",
    example: "{messageOf(cause)}.`",
  },

  // Names of things that the field has a word for.
  {
    where: "text",
    pattern: /\b(?:take|leave)?seats?\b/i,
    instead: "leader lease: acquireLease, releaseLease",
    example: "takeSeat()",
  },
  {
    where: "text",
    pattern: /\bHeardArtefacts\b/,
    instead: "PublishTracker",
    example: "new HeardArtefacts()",
  },
  {
    where: "text",
    pattern: /\b(?:QuestionDesk|lookAtAnswer)\b/,
    instead: "questions.ts: settleQuestion, settleAnswer",
    example: "new QuestionDesk()",
  },
  {
    where: "text",
    pattern: /\b(?:note)?told\b/i,
    instead: "recordDelivery; announced, logged, shown",
    example: "board.noteTold()",
  },
  {
    where: "text",
    pattern: /\brosters?\b/i,
    instead: "AgentCache, cache",
    example: "new Roster(deps)",
  },
  {
    where: "text",
    pattern: /\b(?:stateGoal|state-goal)\b/,
    instead: "postGoal",
    example: "await stateGoal()",
  },
  {
    where: "text",
    pattern: /\b(?:seeGoalThrough|see-goal-through)\b/,
    instead: "watchGoal",
    example: "await seeGoalThrough()",
  },
  {
    where: "text",
    pattern: /\b(?:holdUp|hold-up|heldUntil|held-until)\b/,
    instead: "blocked-reason",
    example: "people/held-until.ts",
  },
  {
    where: "text",
    pattern: /\b(?:bringUp|bring-up)\b/,
    instead: "apply",
    example: "await bringUp(order)",
  },
  { where: "text", pattern: /\bmadeFrom\b/, instead: "fingerprint", example: "labels.madeFrom" },

  // Names in code that are no nouns, or say something else.
  { where: "names", pattern: /\bTargets\b/, instead: "TargetCache", example: "new Targets(deps)" },
  {
    where: "names",
    pattern: /\b(?:type|class|interface)\s+(?:Had|Making|Standing|Given|Seen|By|Ran|Asked|Held)\b/,
    instead: "a noun: Result, Origin, CommitInput, WatchedGoal, Actor, Ended",
    example: "type Had<Value> = Value",
  },
  {
    where: "names",
    pattern: /\b(?:const|let|function|readonly)\s+[[{]?\s*#?(?:asked|heard|held|given|had)\b/,
    instead: "a noun for the thing: delivery, question, announcements, inputs",
    example: "const asked = 1",
  },
  {
    where: "names",
    pattern: /\b(?:most|longest|least)[A-Z]\w*/,
    instead: "max…, min…",
    example: "const mostTries = 8",
  },
  {
    where: "names",
    pattern: /\bwordsOf[A-Z]\w*|\b(?!broken)[a-z]+Words\b/,
    instead: "…Args for arguments; `word` is a bid",
    example: "const commitWords = []",
  },
  {
    where: "names",
    pattern: /(?<![.\w])pause\(\)(?!:)/,
    instead: "sleep(); `pause` is for the instance",
    example: "await pause()",
  },
  // `naming: {` is an option of the bundler.
  {
    where: "names",
    pattern: /\bnaming\b(?!: \{)/,
    instead: "nameFlag",
    example: "const naming = 1",
  },
  {
    where: "names",
    pattern: /\b(?:[pP]ostOffice|[cC]orrespondence|[eE]nvelopes?)\b/,
    instead: "message, mailbox",
    example: "class PostOffice",
  },
  {
    where: "names",
    pattern: /\b(?:Service|Orchestrator|Cub|Loop|Watcher)Parts\b/,
    instead: "…Deps; parts are containers",
    example: "type CubParts = {}",
  },
  {
    where: "paths",
    pattern:
      /(?:^|[/-])(?:seat|roster|told|naming|made-from|rounds|tell-[a-z-]+|[a-z]+-words)\.(?:test\.)?(?:ts|lua|md)$/,
    instead: "a noun for the thing: leader-lease, agent-cache, fingerprint, log-text",
    example: "apps/cub/tell-task.ts",
  },
];
