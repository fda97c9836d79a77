// Says why a command has reached no other machine, where its agent has no network: programs say
// only that a name is unknown.
import type { ToolEnd } from "../../../lib/core/failure-report.ts";

/** Common programs and libraries say it so: curl, git, npm, pip, Go, Rust, glibc, musl. */
const words =
  /could not resolve (?:host|proxy)|name resolution|name or service not known|network is unreachable|no such host|bad address|unknown host|nodename nor servname|\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b|failed to lookup address|tunnel(?:ing)? (?:connection )?failed|response 403 from proxy|403 forbidden.*proxy/i;

const lastBytes = 16 * 1024;

/**
 * `end`, with what to do about it. `hasProxy`: something may be reached. `who`: begins a sentence.
 * `key`: of sett.yml, where it says what may be reached.
 */
export function withNetworkHint(
  end: ToolEnd,
  {
    hasProxy,
    who = "The agent",
    key = "egress",
  }: { hasProxy: boolean; who?: string; key?: string },
): ToolEnd {
  const said = [end.stderr, end.stdout]
    .map((output) => new TextDecoder().decode(output.subarray(-lastBytes)))
    .join("\n");
  if (!words.test(said)) return end;
  const hint = hasProxy
    ? `${who} reaches other hosts only by the proxy in HTTPS_PROXY, as far as sett.yml allows: \`sett logs egress\` has what was refused.`
    : `${who} has no network: \`${key}\` in sett.yml names the hosts that it may reach.`;
  // A reason that ends with the last line of stderr has no full stop.
  const reason = /[.!?…]$/.test(end.reason) ? end.reason : `${end.reason}.`;
  return { ...end, reason: `${reason} ${hint}` };
}
