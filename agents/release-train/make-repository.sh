#!/bin/sh
# Makes a small but real repository, which has released 1.1.0 and is about to release 1.2.0: `make-repository.sh FOLDER`.
#
# As in real repositories, several files have the version, a dependency happens to have the same version, one commit was meant to
# be squashed, and a branch was merged. Every run makes the same commits.
set -eu

folder=${1:?usage: make-repository.sh FOLDER}
if [ -e "$folder" ] && [ -n "$(ls -A "$folder")" ]; then
  echo "make-repository: $folder is not empty" >&2
  exit 1
fi
mkdir -p "$folder"
cd "$folder"
git init --quiet --initial-branch=main
git config user.name "Ada Lovelace"
git config user.email ada@sett.invalid
# The user's own settings of git must not change the commits.
git config commit.gpgSign false
git config tag.gpgSign false
git config core.autocrlf false
git config core.hooksPath /dev/null

now=1760000000
later() {
  now=$((now + 3600))
  export GIT_AUTHOR_DATE="$now +0000" GIT_COMMITTER_DATE="$now +0000"
}

commit() { # SUBJECT
  later
  git add --all
  git commit --quiet --message "$1"
}

door() { # WHAT IT SAYS TO ANY OTHER WORD
  cat >door.sh <<END
#!/bin/sh
# A door: \`door.sh open\` or \`door.sh close\` says what it is like afterwards.
case \${1:-} in
open) echo "The door is open." ;;
close) echo "The door is closed." ;;
*) $1 ;;
esac
END
}

door "exit 2"
cat >test.sh <<'END'
#!/bin/sh
# Runs each line of expected.txt, "command: answer", and compares.
failed=0
while IFS=: read -r command answer; do
  if [ "$($command)" = "${answer# }" ]; then
    echo "ok     $command"
  else
    echo "FAILED $command: expected$answer"
    failed=1
  fi
done <expected.txt
exit "$failed"
END
cat >expected.txt <<'END'
./door.sh open: The door is open.
./door.sh close: The door is closed.
END
chmod +x door.sh test.sh
cat >package.json <<'END'
{
  "name": "@sett/door",
  "version": "1.1.0",
  "description": "A door that opens and closes",
  "license": "MIT",
  "bin": { "door": "./door.sh" },
  "scripts": { "test": "./test.sh" },
  "dependencies": {
    "handle": "^1.1.0",
    "hinge": "^2.0.0"
  }
}
END
cat >package-lock.json <<'END'
{
  "name": "@sett/door",
  "version": "1.1.0",
  "lockfileVersion": 3,
  "requires": true,
  "packages": {
    "": {
      "name": "@sett/door",
      "version": "1.1.0",
      "license": "MIT",
      "dependencies": {
        "handle": "^1.1.0",
        "hinge": "^2.0.0"
      }
    },
    "node_modules/handle": {
      "version": "1.1.0",
      "license": "ISC"
    },
    "node_modules/hinge": {
      "version": "2.0.1",
      "license": "MIT"
    },
    "node_modules/hinge/node_modules/oil": {
      "version": "0.3.0"
    }
  }
}
END
cat >README.md <<'END'
# door

![version 1.1.0](badges/version-1.1.0-green.svg)

A door that opens and closes. Since version 1.1.0 it says so in whole sentences.

    tar xzf door-1.1.0.tar.gz
    ./door-1.1.0/door.sh open
END
cat >LICENSE <<'END'
MIT License

Copyright (c) 2025 Ada Lovelace

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
END
commit "Add a door that opens and closes"
cat >CHANGELOG.md <<'END'
# Changelog

## 1.1.0 - 2025-10-09

### Added

- Add a door that opens and closes
END
commit "Say what changed in 1.1.0"
git tag --annotate --message "Release 1.1.0" v1.1.0

git switch --quiet --create bell
printf '#!/bin/sh\necho "Ding dong."\n' >bell.sh
chmod +x bell.sh
echo "./bell.sh: Ding dong." >>expected.txt
commit "Add a bell"

git switch --quiet main
door 'echo "usage: door.sh opne|close" >&2; exit 2'
commit "Fix the silence that other words were met with"
door 'echo "usage: door.sh open|close" >&2; exit 2'
commit "fixup! Fix the silence that other words were met with"
later
git merge --quiet --no-edit bell
