// Says why ssh does not reach an Engine, and what to do about it. Pure.
import { SettError } from "../../model/errors.ts";

type Reason = { pattern: RegExp; sentence: string; hint: (target: string) => string };

/** The first one that matches counts. */
const reasons: readonly Reason[] = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    sentence: "its host key is not the one that is known, so that it may be another machine",
    hint: (target) =>
      `Where the machine was made anew, compare its new key, then remove the old one: \`ssh-keygen -R HOST\`, and \`ssh ${target}\`.`,
  },
  {
    pattern: /Host key verification failed|No .* host key is known/,
    sentence: "its host key is not known",
    hint: (target) => `Run \`ssh ${target}\` once, and compare the key before you accept it.`,
  },
  {
    pattern: /Permission denied \(|Too many authentication failures/,
    sentence: "it asks for a password or another key, and sett answers no question of ssh",
    hint: (target) =>
      `Give ssh a key that needs none (\`ssh-add\`), until \`ssh -o BatchMode=yes ${target} docker version\` works.`,
  },
  {
    pattern: /docker: (?:command )?not found|docker: No such file/,
    sentence: "there is no program `docker` on the PATH of that machine",
    hint: (target) =>
      `Install Docker's command line there, until \`ssh ${target} docker version\` works.`,
  },
  {
    pattern: /permission denied/,
    sentence: "its user may not use the Engine's socket there",
    hint: () => "Add that user to the group `docker` of that machine.",
  },
  {
    pattern: /ENOENT|Executable not found/,
    sentence: "there is no program `ssh` on this machine's PATH",
    hint: () => "Install it: on Debian `apt-get install openssh-client`.",
  },
  {
    pattern:
      /Connection (?:closed|reset) by .* port|kex_exchange_identification|Session open refused/,
    sentence: "the machine ended the connection before anyone could log in",
    hint: (target) =>
      `Its sshd takes so many at once, of all its users (\`MaxStartups\`, \`MaxSessions\`): try the same command again, or allow more there. If \`ssh ${target} true\` fails, too, its log says why.`,
  },
  {
    pattern: /no connection within|timed out/,
    sentence: "the machine does not answer in time",
    hint: (target) => `Is it up, and its name right? Try \`ssh ${target} true\`.`,
  },
];

/** `said`: what ssh has written. */
export function sshFailure(host: string, said: string, cause?: unknown): SettError {
  const target = targetOf(host);
  const found = reasons.find(({ pattern }) => pattern.test(said));
  const [last = "it does not say why"] = said
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .slice(-1);
  const reason = found?.sentence ?? last.trim().replace(/\.$/, "");
  const hint = found?.hint(target) ?? `Try \`ssh ${target} docker version\`.`;
  const message = `The Docker Engine does not answer through ssh (${host}): ${reason}.`;
  return new SettError("docker-unreachable", message, { hint, cause });
}

/** As a person types it after `ssh`. */
function targetOf(host: string): string {
  const [, user = "", name = "", port] =
    /^ssh:\/\/(?:([^@/]*)@)?(\[[^\]]*\]|[^:/]*)(?::(\d+))?/.exec(host) ?? [];
  const words = [port === undefined ? "" : `-p ${port}`, user === "" ? "" : `${user}@`];
  return `${words[0] === "" ? "" : `${words[0]} `}${words[1]}${name.replace(/^\[|\]$/g, "")}`;
}
