#!/bin/sh
# Makes the small repository of `npm run demo -- --llm`: `make-repository.sh FOLDER`. Every run makes the same commit.
set -eu

folder=${1:?usage: make-repository.sh FOLDER}
mkdir -p "$folder"
cd "$folder"
git init --quiet --initial-branch=main
git config user.name "Ada Lovelace"
git config user.email ada@sett.invalid
# The user's own settings of git must not change the commits.
git config commit.gpgSign false
git config core.autocrlf false
git config core.hooksPath /dev/null

cat >README.md <<'END'
# slug

`./slug.sh "Hello, World"` prints `hello-world`: the part of an address that names a page.
`./test.sh` runs the tests.
END

cat >slug.sh <<'END'
#!/bin/sh
# Makes the part of an address that names a page from the page's title.
set -eu
printf '%s\n' "$*" | tr '[:upper:]' '[:lower:]' |
  sed -e 's/[^a-z0-9][^a-z0-9]*/-/g' -e 's/^-//' -e 's/-$//'
END

cat >test.sh <<'END'
#!/bin/sh
# Prints each check that fails, and how many there are.
set -u
failed=0

check() { # EXPECTED TITLE
  got=$(./slug.sh "$2")
  [ "$got" = "$1" ] && return
  echo "failed: \"$2\" gives \"$got\" and not \"$1\""
  failed=$((failed + 1))
}

check hello-world 'Hello, World'
check a-b '  a & b  '

echo "$failed failed"
[ "$failed" -eq 0 ]
END
chmod +x slug.sh test.sh

git add --all
GIT_AUTHOR_DATE='1760000000 +0000' GIT_COMMITTER_DATE='1760000000 +0000' git commit --quiet --message 'Make slugs from titles'
