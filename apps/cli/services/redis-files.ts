// The append-only files of Redis, before Redis starts: it begins an empty blackboard where its list
// of them is gone, and writes over what they hold; it leaves out what the list does not name; and
// it takes a base file that is empty for one of an empty blackboard.

/**
 * Lines of a shell script that end it where such a file is not as Redis leaves it, with a line
 * that says so. A first start that was killed leaves a base file of number 1 and an empty file
 * beside it, without a list. A rewrite that was killed leaves a base file that the list does not
 * name, or an empty file. The image has no programs but Redis and the shell.
 */
export function wholeFilesScript(folder: string): string {
  return [
    `files=${folder}`,
    "manifest=$files/appendonly.aof.manifest",
    "if [ -e $manifest ]; then",
    "  base= last=0",
    "  while read -r key name seq number type kind _; do",
    '    if [ "$type $kind" = "type b" ] && [ -e "$files/$name" ] && [ ! -s "$files/$name" ]; then',
    '      echo "The base file $name is empty. Redis would begin with an empty blackboard." >&2; exit 1',
    "    fi",
    '    [ "$kind" != b ] || base=$name',
    '    [ "$kind" != i ] || last=$number',
    "  done < $manifest",
    '  if [ -z "$base" ] && [ "$last" != 0 ]; then',
    '    echo "The AOF manifest names no base file. Redis would begin without it." >&2; exit 1',
    "  fi",
    "  for file in $files/appendonly.aof.*.incr.aof; do",
    `    number=\${file%.incr.aof}`,
    `    [ -s $file ] && [ "\${number##*.}" -gt "$last" ] 2> /dev/null || continue`,
    '    echo "The AOF manifest does not name $file. Redis would begin without it." >&2; exit 1',
    "  done",
    "else",
    "  for file in $files/appendonly.aof.*; do",
    "    case $file in *.1.base.rdb) continue ;; *.base.rdb) ;; *) [ -s $file ] || continue ;; esac",
    '    echo "The AOF manifest is gone, and $file is there. Redis would begin with an empty blackboard." >&2; exit 1',
    "  done",
    "fi",
  ].join("\n");
}
