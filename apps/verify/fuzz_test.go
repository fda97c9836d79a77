package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Whatever the bytes are, there is a report, and it has a problem.
func FuzzArchive(f *testing.F) {
	m := newMaker(f).fill()
	for _, goal := range []string{"", goalA} {
		f.Add(pack(f, m.bundle(goal)))
	}
	f.Add(make([]byte, 2*blockBytes))
	whole := [][]byte{pack(f, m.bundle("")), pack(f, m.bundle(goalA))}
	f.Fuzz(func(t *testing.T, archive []byte) {
		found := verified(archive, m.key)
		if len(found.problems) == 0 && !slices.ContainsFunc(whole, func(one []byte) bool { return sameFiles(one, archive) }) {
			t.Fatal("a bundle that is another one is shown")
		}
	})
}

func sameFiles(one, other []byte) bool {
	files, _ := archiveOf(one)
	others, _ := archiveOf(other)
	for name, file := range files {
		if name != "README" && name != "keys" && (others[name] == nil || contentOf(file) != contentOf(others[name])) {
			return false
		}
	}
	return true
}

// A part of a file is something else, in an archive that is whole.
func FuzzContent(f *testing.F) {
	m := newMaker(f).fill()
	bundles := []files{m.bundle(""), m.bundle(goalA)}
	var names [2][]string
	for at, made := range bundles {
		names[at] = slices.Sorted(maps.Keys(made))
		for which, name := range names[at] {
			f.Add(at == 1, uint(which), uint(len(made[name])/2), uint(1), "x")
		}
	}
	f.Fuzz(func(t *testing.T, isOfGoal bool, which, from, length uint, instead string) {
		at := 0
		if isOfGoal {
			at = 1
		}
		made := maps.Clone(bundles[at])
		name := names[at][which%uint(len(names[at]))]
		before := made[name]
		from %= uint(len(before) + 1)
		length %= uint(len(before)) - from + 1
		made[name] = before[:from] + instead + before[from+length:]
		found := verified(pack(t, made), m.key)
		isShown := len(found.problems) == 0
		// A signature of a key that is not known says nothing.
		mayBeShown := name == "README" || name == "keys" || made[name] == before ||
			(name == "checkpoint" || name == "goal") && strings.Contains(made[name], "\n\n— ")
		if isShown && !mayBeShown {
			t.Fatalf("%s with %q is shown", name, instead)
		}
	})
}
