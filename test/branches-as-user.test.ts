import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { BRANCH_CONTRACT } from "../src/testing/index.ts";
import { describeWith } from "./support/require-package.ts";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SCRIPT = "test/support/branches-as-user.mjs";

/** What the script needs, where the user cannot read the working tree. */
const PARTS = ["dist", "node_modules", "package.json", "test"];

/** Nobody: a user without rights. */
const USER = 65534;

const PACKAGES = [
  { command: "setpriv", package: "util-linux" },
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];

describeWith(PACKAGES, "Branches of an ordinary user", () => {
  test("keep to the contract, and the real CLI runs turns in them, in its sandbox too", async () => {
    const { stdout } = await runAsUser();
    const { kind, ...found } = JSON.parse(stdout) as { readonly kind: string };
    // Which of them depends on the kernel's settings; the script has tried by itself whether an overlay can be had.
    expect(["private-overlay", "clone", "copy"]).toContain(kind);
    const turn = { isBelowHome: true, reward: 1 };
    expect(found).toEqual({ checks: BRANCH_CONTRACT.length, turns: [turn, turn] });
  }, 180_000);
});

/** Root becomes an ordinary user for it. */
async function runAsUser(): Promise<{ readonly stdout: string }> {
  if (process.getuid?.() !== 0) return await run(process.execPath, [join(ROOT, SCRIPT)]);
  const home = await mkdtemp(join(tmpdir(), "skein-user-"));
  try {
    const become = ["--reuid", `${USER}`, "--regid", `${USER}`, "--clear-groups", "env", "-i"];
    const env = [`PATH=${process.env["PATH"]}`, `HOME=${home}`, `TMPDIR=${home}`];
    const asUser = (...argv: string[]): Promise<{ readonly stdout: string }> =>
      run("setpriv", [...become, ...env, ...argv], { cwd: "/" });
    const isReadable = await asUser("test", "-r", join(ROOT, SCRIPT)).then(
      () => true,
      () => false,
    );
    if (!isReadable) await run("cp", ["-a", ...PARTS, home], { cwd: ROOT });
    await run("chown", ["-R", `${USER}:${USER}`, home]);
    return await asUser(process.execPath, join(isReadable ? ROOT : home, SCRIPT));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
