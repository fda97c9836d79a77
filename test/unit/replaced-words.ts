// The words that do not come back (CONTRIBUTING.md#language): what is looked for, what to say instead, and where the rule applies.

/** `text`: every text file. `names`: what TypeScript and Lua declare or use, outside of comments and strings. `paths`: names of files. */
type Where = "text" | "names" | "paths";

type ReplacedWord = { pattern: RegExp; instead: string; where: Where };

const actor = "name the actor: a person, the caller, the process that …, no orchestrator";

export const replacedWords: readonly ReplacedWord[] = [
  // Sentences without an actor. `nobody:` is the user of that name in /etc/passwd; "stands in for" belongs to the stand-in.
  { where: "text", pattern: /\bwhoever\b/i, instead: actor },
  { where: "text", pattern: /\bnobody\b(?!:)/i, instead: actor },
  { where: "text", pattern: /\bsomebody\b/i, instead: actor },
  { where: "text", pattern: /\bstands\b(?! in for)/i, instead: "is, is written, is stored, counts" },
  { where: "text", pattern: /\btell(?:s|ing)? people\b/i, instead: "notify people" },
  { where: "text", pattern: /\bgoal\b(?: \S+)? is failed\b/i, instead: "the goal failed" },
  { where: "text", pattern: /\borchestrates\b/i, instead: "an orchestrator runs" },

  // Names of things that the field has a word for.
  { where: "text", pattern: /\b(?:take|leave)?seats?\b/i, instead: "leader lease: acquireLease, releaseLease" },
  { where: "text", pattern: /\bHeardArtefacts\b/, instead: "PublishTracker" },
  { where: "text", pattern: /\bHandmadeScan\b/, instead: "AdoptionScan" },
  { where: "text", pattern: /\b(?:QuestionDesk|lookAtAnswer)\b/, instead: "questions.ts: settleQuestion, settleAnswer" },
  { where: "text", pattern: /\bnoteTold\b/, instead: "recordDelivery" },
  { where: "text", pattern: /\b(?:stateGoal|state-goal)\b/, instead: "postGoal" },
  { where: "text", pattern: /\b(?:seeGoalThrough|see-goal-through)\b/, instead: "watchGoal" },
  { where: "text", pattern: /\b(?:holdUp|hold-up|heldUntil|held-until)\b/, instead: "blocked-reason" },
  { where: "text", pattern: /\b(?:bringUp|bring-up)\b/, instead: "apply" },
  { where: "text", pattern: /\bmadeFrom\b/, instead: "fingerprint" },

  // Names in code that are no nouns, or say something else.
  { where: "names", pattern: /\b(?:Roster|Targets)\b/, instead: "AgentCache, TargetCache" },
  {
    where: "names",
    pattern: /\b(?:type|class|interface)\s+(?:Had|Making|Standing|Given|Seen|By|Ran|Told|Asked|Held)\b/,
    instead: "a noun: Result, Origin, CommitInput, WatchedGoal, Actor, Ended",
  },
  {
    where: "names",
    pattern: /\b(?:const|let|function|readonly)\s+[[{]?\s*#?(?:told|asked|heard|held|given|had)\b/,
    instead: "a noun for the thing: delivery, question, announcements, inputs",
  },
  { where: "names", pattern: /\b(?:most|longest|least)[A-Z]\w*/, instead: "max…, min…" },
  { where: "names", pattern: /\bwordsOf[A-Z]\w*|\b(?!broken)[a-z]+Words\b/, instead: "…Args for arguments; `word` is a bid" },
  { where: "names", pattern: /(?<![.\w])pause\(\)(?!:)/, instead: "sleep(); `pause` is for the instance" },
  { where: "names", pattern: /\bnaming\b/, instead: "nameFlag" },
  { where: "names", pattern: /\b(?:Service|Orchestrator|Cub|Loop|Watcher)Parts\b/, instead: "…Deps; parts are containers" },
  {
    where: "paths",
    pattern: /(?:^|[/-])(?:seat|roster|told|naming|made-from|rounds|tell-[a-z-]+|[a-z]+-words)\.(?:test\.)?(?:ts|lua|md)$/,
    instead: "a noun for the thing: leader-lease, agent-cache, fingerprint, log-text",
  },
];
