// The words that do not come back (CONTRIBUTING.md#language): a pattern, what to say instead, and where it applies.

/** `text`: every text file. `code`: TypeScript and Lua outside of comments and strings. `path`: names of files. */
type Where = "text" | "code" | "path";

export type ReplacedWord = { pattern: RegExp; instead: string; where: Where };

const text = (pattern: RegExp, instead: string): ReplacedWord => ({ pattern, instead, where: "text" });
const code = (pattern: RegExp, instead: string): ReplacedWord => ({ pattern, instead, where: "code" });
const path = (pattern: RegExp, instead: string): ReplacedWord => ({ pattern, instead, where: "path" });

export const replacedWords: readonly ReplacedWord[] = [
  // Sentences without an actor. `nobody:` is the user of that name in /etc/passwd.
  text(/\bwhoever\b/i, "name the actor: the caller, a person, the process that …"),
  text(/\bnobody\b(?!:)/i, "name the actor: no orchestrator, no person, no agent"),
  text(/\bsomebody\b/i, "name the actor: a person, another process, another agent"),
  text(/\bstands\b/i, "is, is written, is stored, counts"),
  text(/\btell(?:s|ing)? people\b/i, "notify people"),
  text(/\bgoal\b(?: \S+)? is failed\b/i, "the goal failed"),
  text(/\borchestrates\b/i, "an orchestrator runs"),

  // Everyday words for things that the field has a name for.
  text(/\b(?:take|leave)?seats?\b/i, "leader lease: acquireLease, releaseLease"),
  text(/\bHeardArtefacts\b/, "PublishTracker"),
  text(/\bHandmadeScan\b/, "AdoptionScan"),
  text(/\bQuestionDesk\b/, "questions.ts: settleQuestion, settleAnswer"),
  text(/\blookAtAnswer\b/, "settleAnswer"),
  text(/\bnoteTold\b/, "recordDelivery"),
  text(/\bstate-?Goal\b/, "postGoal"),
  text(/\bseeGoalThrough\b/, "watchGoal"),
  text(/\bhold-up\b|\bheld-until\b|\bheldUntil\b|\bholdUp\b/i, "blocked-reason"),
  text(/\bbring-up\b|\bbringUp\b/i, "apply"),
  text(/\bmade-from\b|\bmadeFrom\b/i, "fingerprint"),

  // Names in code.
  code(
    /\b(?:Roster|Targets|Had|Making|Standing|Given|Seen|By|Ran|Told|Asked|Held)\b/,
    "a noun: AgentCache, TargetCache, Result, Origin, Actor, …",
  ),
  code(/\b(?:told|asked|heard)\b/, "a noun for the thing: delivery, question, publication"),
  code(/\b(?:most|longest|least)[A-Z]\w*/, "max…, min…"),
  code(/\b(?:wordsOf\w*|[a-z]+Words)\b/, "…Args for arguments; `word` is a bid"),
  code(/\bpause\(\)|\bawait pause\(/, "sleep(); `pause` is for the instance"),
  code(/\b(?:naming)\b/, "nameFlag"),
  code(/\b(?:Service|Orchestrator|Cub|Round|Loop|Watcher)Parts\b/, "…Deps; parts are containers"),
  path(
    /(?:^|\/)(?:[a-z-]+-)?(?:seat|roster|told|naming|hold-up|held-until|bring-up|made-from|state-goal|see-goal-through|see-through)\./,
    "the name of the thing: leader-lease, agent-cache, post-goal, …",
  ),
];
