// Texts of agents as they go to a forge: data, which calls no person, closes nothing, starts
// nothing, and hides nothing.

/** Characters that no reader sees, and those that turn the direction of text. */
const hidden =
  /\p{Cf}|\p{Co}|\p{Cn}|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0/gu;
const control = /[^\P{Cc}\n\t]/gu;

/** Without what a forge could take for a call of a person, an issue, or a command. */
export function harmless(text: string): string {
  return text
    .normalize("NFKC")
    .replace(hidden, "")
    .replace(/\r\n?/g, "\n")
    .replace(control, "\ufffd")
    .replace(/@(?=[\p{L}\p{N}_-])/gu, "(at) ")
    .replace(/#(?=\d)/g, "no. ")
    .replace(/\bGH-(?=\d)/gi, "GH ")
    .replace(/!(?=\d)/g, "! ")
    .replace(
      /(?:\/(?:issues|pull|pulls|merge_requests|commit)\/)(?=[\da-f])/gi,
      (path) => `${path} `,
    )
    .replace(/^(\s*)\/(?=\w)/gm, "$1/ ")
    .replace(
      /\[\s*(skip|no)\s*-?\s*(ci|actions)\s*\]|\[\s*(ci|actions)\s*-?\s*skip\s*\]/gi,
      "[skip]",
    )
    .replace(/^skip-checks\s*:/gim, "skip checks ")
    .replace(/\*{3}NO_CI\*{3}/gi, "NO CI");
}

/** One line without any Markdown. */
export function harmlessLine(text: string, maxCharacters: number): string {
  const line = harmless(text)
    .replace(/[`<>[\]*_|\\]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1)}…` : line;
}

/** Marks text of the forge as data, for agents. Nothing in it can end the block. */
export function quoted(text: string, maxCharacters: number): string {
  const clean = text.replace(hidden, "").replace(/\r\n?/g, "\n").replace(control, "\ufffd").trim();
  const end =
    clean.length > maxCharacters ? `[… only the end]\n${clean.slice(-maxCharacters)}` : clean;
  return end
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

const closing =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b\s*:?\s+(?:\S*[#!]\d|GH-\d|\S+\/(?:issues|pulls?)\/\d)/i;

/**
 * What is wrong in an author or a message that cannot be changed any more; undefined where nothing
 * is. `text`: a commit as git stores it.
 */
export function problemOfCommit(text: string): string | undefined {
  const end = text.indexOf("\n\n");
  const [headers, message] = [text.slice(0, end), text.slice(end + 2)];
  const people = headers
    .split("\n")
    .filter((line) => /^(?:author|committer) /.test(line))
    .join("\n");
  if (text.includes("\ufffd")) return "text that is no UTF-8";
  if (people.replace(control, "").search(hidden) !== -1 || /[^\P{Cc}\n]/u.test(people))
    return "an author with hidden characters";
  const plain = message.normalize("NFKC");
  if (message.search(hidden) !== -1 || message.search(control) !== -1)
    return "a message with hidden characters";
  if (
    /\[(?:skip|no)[\s-]*(?:ci|actions)\]|\[(?:ci|actions)[\s-]*skip\]|^skip-checks\s*:|\*{3}NO_CI\*{3}/im.test(
      plain,
    )
  )
    return "a message that tells the forge to skip its checks";
  if (closing.test(plain.normalize("NFKD").replace(/\p{M}/gu, "")) || closing.test(unlike(plain)))
    return "a message that would close an issue";
  if (/(?:^|[^\w.+/-])@[\p{L}\p{N}_-]/u.test(plain)) return "a message that mentions an account";
  return undefined;
}

/** Letters of other scripts that look like those of closing words. */
function unlike(text: string): string {
  const latin: Record<string, string> = {
    "\u0455": "s",
    "\u0441": "c",
    "\u043e": "o",
    "\u0435": "e",
    "\u0456": "i",
    "\u0445": "x",
    "\u03bf": "o",
    "\u0501": "d",
    "\u04cf": "l",
    "\u0261": "g",
    "\u057d": "u",
  };
  return text.replace(/[\u0370-\u058f\u0261]/g, (letter) => latin[letter] ?? letter);
}

/** A path that a forge would show otherwise than it is; undefined where it is none. */
export function problemOfPath(path: string): string | undefined {
  const isHidden = path.search(hidden) !== -1 || /\p{Cc}|\ufffd/u.test(path);
  return isHidden ? "a file with hidden characters in its name" : undefined;
}

/** Files with which a commit decides what the forge runs. */
export function isWorkflow(path: string): boolean {
  return /^\.(?:github|gitea|forgejo)\/(?:workflows|actions)\/|^\.gitlab-ci\.yml$/i.test(
    path.normalize("NFKC"),
  );
}
