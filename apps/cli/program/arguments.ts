// Arguments that several commands take, and those that all take.

export const nameArgument = {
  type: "string",
  alias: "n",
  valueHint: "NAME",
  description: "the instance; without it the one of this repository",
} as const;

export const jsonArgument = { type: "boolean", description: "print JSON" } as const;

export const goalFilter = {
  type: "string",
  valueHint: "ID",
  description: "only this goal; 6 or more characters of its id are enough",
} as const;

export const archiveArgument = {
  type: "string",
  valueHint: "FILE",
  description: "what `sett prune` has moved there; no sett need run",
} as const;

export const asArgument = {
  type: "string",
  valueHint: "NAME",
  description: "who you are, for the record; without it as git knows you",
} as const;

export const fileArgument = {
  type: "string",
  alias: "f",
  valueHint: "FILE",
  description: "the configuration; without it the nearest sett.yml from here upwards",
} as const;

export const commonArguments = {
  debug: { type: "boolean", description: "show the stack of an error" },
  help: { type: "boolean", alias: "h", description: "show this" },
} as const;
