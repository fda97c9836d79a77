// A program adds these to the metadata of what it posts for a person, so that a reader can tell who
// really wrote it.

/** An example is `{ by_assistant: "claude-code 2.1" }`. */
export type Marks = Readonly<Record<string, string>>;
