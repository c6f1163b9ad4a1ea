import { expect, test } from "vitest";
import { shortSocketFolder } from "./socket-folder.ts";

const LONG = `/${"x".repeat(72)}`;
const sandbox = { enabled: true };

test("a folder of the host's that is too long for the sandbox's sockets is left for a short one", () => {
  expect(shortSocketFolder({ sandbox }, { TMPDIR: LONG }, "linux")).toEqual({ TMPDIR: "/tmp" });
});

test.each([
  ["that fits", { sandbox }, { TMPDIR: LONG.slice(1) }, "linux"],
  ["where none is named", { sandbox }, {}, "linux"],
  ["without a sandbox", {}, { TMPDIR: LONG }, "linux"],
  ["where the sandbox opens none", { sandbox }, { TMPDIR: LONG }, "darwin"],
] as const)("a folder stays %s", (_, options, env, platform) => {
  expect(shortSocketFolder(options, env, platform)).toEqual({});
});

test("one that was named for the turn is an error that says what to do", () => {
  const env = { TMPDIR: LONG };
  expect(() => shortSocketFolder({ sandbox, env }, env, "linux")).toThrow(
    expect.objectContaining({ kind: "config", target: "TMPDIR", hint: expect.stringContaining("/tmp") }),
  );
});
