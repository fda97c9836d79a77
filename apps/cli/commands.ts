// Every command, in the order of the help. Each is loaded only when it is called, so that `sett
// --version` takes milliseconds.
import type { Command } from "./program/command.ts";

type Entry = { description: string; load: () => Promise<Command> };

export const commands: Readonly<Record<string, Entry>> = {
  init: {
    description: "write a sett.yml and an example agent",
    load: async () => (await import("./commands/init.ts")).init,
  },
  add: {
    description: "write a ready agent into sett.yml",
    load: async () => (await import("./commands/add.ts")).add,
  },
  validate: {
    description: "check sett.yml and name every mistake with its line",
    load: async () => (await import("./commands/validate.ts")).validate,
  },
  up: {
    description: "start a sett, or update a running one to match sett.yml",
    load: async () => (await import("./commands/up.ts")).up,
  },
  render: {
    description: "print what `sett up` would make in a cluster, as manifests",
    load: async () => (await import("./commands/render.ts")).render,
  },
  down: {
    description: "stop a sett and remove its containers; the blackboard stays",
    load: async () => (await import("./commands/down.ts")).down,
  },
  list: {
    description: "show the instances on this machine",
    load: async () => (await import("./commands/list.ts")).list,
  },
  doctor: {
    description: "check this machine and its sett, and name a remedy for each finding",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  "agent-env": {
    description: "show how an external agent connects to Redis",
    load: async () => (await import("./commands/agent-env.ts")).agentEnv,
  },
  forage: {
    description: "post a goal",
    load: async () => (await import("./commands/forage.ts")).forage,
  },
  post: {
    description: "post what you have made: a text, a file or a commit",
    load: async () => (await import("./commands/post.ts")).post,
  },
  fork: {
    description: "post a goal that begins with an artefact and its commit",
    load: async () => (await import("./commands/fork.ts")).fork,
  },
  revert: {
    description: "take back what a goal has brought onto a lane",
    load: async () => (await import("./commands/revert.ts")).revert,
  },
  watch: {
    description: "show all past events, then follow new ones",
    load: async () => (await import("./commands/watch.ts")).watch,
  },
  ui: {
    description: "show the instance on a page in the browser, until Ctrl-C",
    load: async () => (await import("./commands/ui.ts")).ui,
  },
  status: {
    description: "show each goal and agent, what each goal waits for, and why",
    load: async () => (await import("./commands/status.ts")).status,
  },
  questions: {
    description: "list the questions and approvals that wait for a person",
    load: async () => (await import("./commands/questions.ts")).questions,
  },
  answer: {
    description: "answer a question",
    load: async () => (await import("./commands/answer.ts")).answer,
  },
  tell: {
    description: "tell the work on a goal, or on one claim, something",
    load: async () => (await import("./commands/tell.ts")).tell,
  },
  approve: {
    description: "approve an artefact that waits for a person's verdict",
    load: async () => (await import("./commands/approve.ts")).approve,
  },
  reject: {
    description: "reject an artefact that waits for a person's verdict",
    load: async () => (await import("./commands/reject.ts")).reject,
  },
  cancel: {
    description: "cancel a goal and all work on it",
    load: async () => (await import("./commands/cancel.ts")).cancel,
  },
  pause: {
    description: "start no new work, or none of a goal, until `sett resume`",
    load: async () => (await import("./commands/pause.ts")).pause,
  },
  resume: {
    description: "start work again, or that of a goal, after `sett pause`",
    load: async () => (await import("./commands/resume.ts")).resume,
  },
  retry: {
    description: "retry a claim that ended with a Failure",
    load: async () => (await import("./commands/retry.ts")).retry,
  },
  hoard: {
    description: "list the artefacts",
    load: async () => (await import("./commands/hoard.ts")).hoard,
  },
  unearth: {
    description: "show an artefact with its whole content",
    load: async () => (await import("./commands/unearth.ts")).unearth,
  },
  why: {
    description: "tell why an artefact is there: who asked, who did it, from what",
    load: async () => (await import("./commands/why.ts")).why,
  },
  merge: {
    description: "merge what came of a goal, or a lane, into your branch",
    load: async () => (await import("./commands/merge.ts")).merge,
  },
  report: {
    description: "tell the story of a goal, for a pull request or an auditor",
    load: async () => (await import("./commands/report.ts")).report,
  },
  shell: {
    description: "open a shell where a grant was worked on, to see why it failed",
    load: async () => (await import("./commands/shell.ts")).shell,
  },
  rerun: {
    description: "run a grant's command again, and compare the results",
    load: async () => (await import("./commands/rerun.ts")).rerun,
  },
  graph: {
    description: "draw which agent made which artefact, and from what",
    load: async () => (await import("./commands/graph.ts")).graph,
  },
  eval: {
    description: "try goals with several settings of the sett, and compare them",
    load: async () => (await import("./commands/eval.ts")).evaluate,
  },
  mcp: {
    description: "let an assistant in your editor use this sett (MCP)",
    load: async () => (await import("./commands/mcp.ts")).mcp,
  },
  budget: {
    description: "show what a goal's model calls have cost, or raise its limits",
    load: async () => (await import("./commands/budget.ts")).budget,
  },
  prune: {
    description: "move goals that have ended into a file",
    load: async () => (await import("./commands/prune.ts")).prune,
  },
  erase: {
    description: "erase the content of an artefact or a goal, on record",
    load: async () => (await import("./commands/erase.ts")).erase,
  },
  audit: {
    description: "show that what is on record is whole, and was decided by the rules",
    load: async () => (await import("./commands/audit.ts")).audit,
  },
  backup: {
    description: "write all that a sett has into one file",
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  restore: {
    description: "bring a sett back from a file of `sett backup`",
    load: async () => (await import("./commands/restore.ts")).restore,
  },
  logs: {
    description: "show the log of an agent, the orchestrator, the gateway, Redis or the API",
    load: async () => (await import("./commands/logs.ts")).logs,
  },
};
