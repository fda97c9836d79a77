#!/bin/sh
# Makes the small repository of the five goals in eval.yml: `make-repository.sh FOLDER`. Every run makes the same commits.
set -eu

folder=${1:?usage: make-repository.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
"$here/../llm-demo/make-repository.sh" "$folder"
cp "$here/sett.yml" "$here/eval.yml" "$folder/"
cd "$folder"
git add --all
GIT_AUTHOR_DATE='1760000001 +0000' GIT_COMMITTER_DATE='1760000001 +0000' git commit --quiet --message 'Add a coder, its tests and goals to try'
