import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith } from "../../../test/support/require-package.ts";
import { detectSandbox, sandboxRemedy } from "./detect-sandbox.ts";

const PACKAGES = [
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-detect-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describeWith(PACKAGES, "a sandbox", () => {
  test("is there where one can be made, with a new /proc or without", async () => {
    expect(await detectSandbox()).toEqual({ available: true, missing: [] });
    expect(await detectSandbox({ isWeaker: true })).toEqual({ available: true, missing: [] });
  });

  test.each([
    [
      "a bubblewrap that cannot start",
      { bwrap: "echo 'error while loading shared libraries' >&2; exit 127" },
      /^bwrap: error/u,
    ],
    ["a bubblewrap that dies in silence", { bwrap: "kill -9 $$" }, /^bwrap: ended with SIGKILL$/u],
    ["a bubblewrap that does nothing", { bwrap: "exit 0" }, /did not confine its command$/u],
    [
      "a bubblewrap that runs the command as it is",
      { bwrap: 'while [ $# -gt 0 ] && [ $1 != readlink ]; do shift; done; exec "$@"' },
      /did not confine its command$/u,
    ],
    ["a socat that does not run", { socat: "echo 'Exec format error' >&2; exit 126" }, /^socat: Exec format error$/u],
  ])("is not there with %s", async (_, programs, failure) => {
    const path = await pathWith(programs);
    const support = await detectSandbox({ path });
    expect(support).toEqual({ available: false, missing: [], failure: expect.stringMatching(failure) });
    expect(sandboxRemedy(support)).toEqual({
      reason: `this machine does not allow one: ${support.failure}`,
      remedy: expect.stringContaining("allow user namespaces"),
    });
  });
});

/** A search path on which these programs come before the machine's own. */
async function pathWith(programs: Readonly<Record<string, string | undefined>>): Promise<string> {
  const place = await mkdtemp(join(folder, "bin-"));
  await mkdir(place, { recursive: true });
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(place, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(place, name), 0o755);
  }
  await symlink(process.execPath, join(place, "node"));
  return `${place}:${process.env["PATH"]}`;
}
