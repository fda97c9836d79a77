// Arguments that several commands take, and those that every command takes.

export const nameArgument = {
  type: "string",
  alias: "n",
  valueHint: "NAME",
  description: "the instance (default: the one of this repository)",
} as const;

export const jsonArgument = { type: "boolean", description: "print JSON" } as const;

export const goalFilter = {
  type: "string",
  valueHint: "ID",
  description: "only this goal; 6 or more characters of its id are enough",
} as const;

export const goalArgument = {
  type: "positional",
  required: false,
  description: "a goal; 6 or more characters of its id are enough",
} as const;

export const pausedGoal = {
  type: "positional",
  required: false,
  description: "only this goal; 6 or more characters of its id are enough",
} as const;

export const archiveArgument = {
  type: "string",
  valueHint: "FILE",
  description: "read this file of `sett prune` instead of the blackboard; no sett has to run",
} as const;

export const asArgument = {
  type: "string",
  valueHint: "NAME",
  description: "your name, for the record (default: your name in git)",
} as const;

/** A command that shows something of an instance has these. */
export const dataArguments = { json: jsonArgument, name: nameArgument } as const;

/** A command by which a person says or does something has these. */
export const personArguments = { as: asArgument, ...dataArguments } as const;

export const fileArgument = {
  type: "string",
  alias: "f",
  valueHint: "FILE",
  description:
    "the configuration (default: the nearest sett.yml, in this folder or above; of a bare repository HEAD:sett.yml)",
} as const;

export const commonArguments = {
  debug: { type: "boolean", description: "show the stack trace of an error" },
  help: { type: "boolean", alias: "h", description: "show this help" },
} as const;

/** A command that runs agents with models has these. */
export const cassetteArguments = {
  record: {
    type: "string",
    valueHint: "DIR",
    description: "write every exchange with a model into this folder, without keys",
  },
  replay: {
    type: "string",
    valueHint: "DIR",
    description: "answer calls of models from this folder, without keys and network",
  },
} as const;

/** Where in a cluster an instance will be. */
export const clusterArguments = {
  context: {
    type: "string",
    valueHint: "CONTEXT",
    description: "with --runtime kubernetes: the context of the kubeconfig (default: its own)",
  },
  namespace: {
    type: "string",
    valueHint: "NAMESPACE",
    description:
      "with --runtime kubernetes: the namespace (default: `kubernetes.namespace`, else `sett-NAME`)",
  },
} as const;
