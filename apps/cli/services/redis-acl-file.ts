// The file in which Redis keeps its users, before Redis starts.

/**
 * Lines of a shell script that give the owner, the user `default`, the instance's password, and
 * leave the other users as they are: Redis may start again without a `sett up`. Redis does not
 * start without this file, and ignores `requirepass` where it has one. Where the file cannot be
 * written, as on a full disk, Redis is not started: without its owner all could be the owner, and
 * without a password. The image has no programs but Redis and the shell.
 */
export function aclFileScript(path: string): string {
  return [
    "others=",
    `if [ -r ${path} ]; then`,
    `  while IFS= read -r line; do case $line in 'user default '*) ;; 'user '*) others="$others$line`,
    `" ;; esac; done < ${path}`,
    "fi",
    `printf 'user default on #%s ~* &* +@all\n%s' "$SETT_REDIS_USERS" "$others" > ${path} || exit 1`,
  ].join("\n");
}
