package main

import (
	"strings"
	"testing"
)

const edKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"

func TestSignersAreRead(t *testing.T) {
	text := "# us\r\n\n \tada,ada@example.org " + edKey + " her laptop\r\n" +
		`eve namespaces="git,statement@sett.dev",valid-after="20260101Z",valid-before="202612312359Z" ` + edKey + "\n"
	read, err := readSigners(text)
	must(t, err)
	if len(read) != 2 || !read[0].isOf("ada@example.org", read[1].key) || !read[1].isOf("eve", read[0].key) {
		t.Errorf("read %v", read)
	}
	for second, isValid := range map[int64]bool{
		1767225599: false, 1767225600: true, 1798761540: true, 1798761541: false,
	} {
		if read[1].isValid(second) != isValid || !read[0].isValid(second) {
			t.Errorf("%d is judged wrongly", second)
		}
	}
}

func TestSignersThatSayMoreAreRefused(t *testing.T) {
	for _, line := range []string{
		"ada", "ada ", "ada x", "* " + edKey, `"ada" ` + edKey, "ada, " + edKey, "a?a " + edKey,
		"ada cert-authority " + edKey, "ada no-touch-required " + edKey, `ada namespaces="*" ` + edKey,
		"ada namespaces " + edKey, `ada valid-after="20260101" ` + edKey, `ada valid-before="20260230Z" ` + edKey,
		`ada valid-after="20260101Z",valid-after="20260101Z" ` + edKey,
		`ada valid-after="20260101Z",valid-before="20260101Z" ` + edKey, `ada valid-after="2026 ` + edKey,
		strings.Replace("ada "+edKey, "ssh-ed25519", "ssh-rsa", 1), "ada " + edKey[:len(edKey)-4], "", "#",
	} {
		if read, err := readSigners(line); err == nil {
			t.Errorf("%q was taken: %v", line, read)
		}
	}
}
