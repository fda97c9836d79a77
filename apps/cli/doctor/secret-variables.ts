// Finds environment variables that look like secrets. It names them, and never shows a value.

/** Sett's own: the passwords of Redis, by which it knows its parts. */
const own = /^(?:REDISCLI_AUTH|REDIS_URL|SETT_\w+)$/;
/** Images of languages say with these which key has signed the language. */
const isPublic =
  /^(?:GPG_KEY|.*_(?:PUBLIC_KEY|KEY_ID|KEY_FILE|TOKEN_FILE|SECRET_FILE|PASSWORD_FILE))$/;
const secretName = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/i;
/** The beginnings that providers give their keys; a URL with a password; a private key. */
const secretValue =
  /^(?:sk-|sk_live_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA[0-9A-Z]{16}|AIza|npm_|-----BEGIN [A-Z ]*PRIVATE KEY)|^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*:[^/@\s]+@/;

/** Their names, in order. */
export function secretVariables(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([name, value]) => value !== "" && !own.test(name) && !isPublic.test(name))
    .filter(([name, value]) => secretName.test(name) || secretValue.test(value))
    .map(([name]) => name)
    .sort();
}
