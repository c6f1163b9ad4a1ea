import { expect, test } from "vitest";
import { substitute, type Substitution } from "./substitution.ts";

const PATH: Substitution = { from: "/tmp/a", to: "/home/b", kind: "path" };
const ID: Substitution = { from: "1a2b3c4", to: "9f8e7d6", kind: "id" };
const KEY: Substitution = { from: "sk-secret", to: "{{key}}", kind: "exact" };

test.each([
  ["cd /tmp/a && ls /tmp/a/src", "cd /home/b && ls /home/b/src"],
  ["in /tmp/a.", "in /home/b."],
  ["/tmp/a-copy /tmp/ab /tmp/a.txt x/tmp/a", "/tmp/a-copy /tmp/ab /tmp/a.txt x/tmp/a"],
  [String.raw`first\n/tmp/a/second`, String.raw`first\n/home/b/second`],
  ["git show 1a2b3c4..HEAD 1a2b3c4f", "git show 9f8e7d6..HEAD 1a2b3c4f"],
  ["KEYsk-secretKEY", "KEY{{key}}KEY"],
])("%s becomes %s", (text, expected) => {
  expect(substitute([text], [PATH, ID, KEY])).toEqual([expected]);
});

test("what runs over several pieces is replaced in the piece where it began", () => {
  expect(substitute(["cd /t", "m", "p/a", "/src /tmp/", "a"], [PATH])).toEqual([
    "cd /home/b",
    "",
    "",
    "/src /home/b",
    "",
  ]);
});

test("the longer of two texts that begin alike is replaced", () => {
  const inner: Substitution = { from: "/tmp/a/b", to: "/c", kind: "path" };

  expect(substitute(["/tmp/a/b /tmp/a"], [PATH, inner])).toEqual(["/c /home/b"]);
});
