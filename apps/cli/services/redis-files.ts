// The append-only files of Redis, before Redis starts: it begins an empty blackboard where its list
// of them is gone, and writes over what they hold, and it takes a base file that is empty for one
// of an empty blackboard.

/**
 * Lines of a shell script that end it where such a file is not as Redis leaves it, with a line
 * that says so. A first start that was killed leaves a base file of number 1 and an empty file
 * beside it, without a list. The image has no programs but Redis and the shell.
 */
export function wholeFilesScript(folder: string): string {
  return [
    `files=${folder}`,
    "manifest=$files/appendonly.aof.manifest",
    "if [ -e $manifest ]; then",
    "  while read -r key name seq number type kind _; do",
    '    if [ "$type $kind" = "type b" ] && [ -e "$files/$name" ] && [ ! -s "$files/$name" ]; then',
    '      echo "The base file $name is empty. Redis would begin with an empty blackboard." >&2; exit 1',
    "    fi",
    "  done < $manifest",
    "else",
    "  for file in $files/appendonly.aof.*; do",
    "    case $file in *.1.base.rdb) continue ;; *.base.rdb) ;; *) [ -s $file ] || continue ;; esac",
    '    echo "The AOF manifest is gone, and $file is there. Redis would begin with an empty blackboard." >&2; exit 1',
    "  done",
    "fi",
  ].join("\n");
}
