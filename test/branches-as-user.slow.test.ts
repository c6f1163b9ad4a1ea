import { expect, test } from "vitest";
import { BRANCH_CONTRACT } from "../src/testing/index.ts";
import { describeWith } from "./support/require-package.ts";
import { runAsUser } from "./support/run-as-user.ts";

const PACKAGES = [
  { command: "setpriv", package: "util-linux" },
  { command: "bwrap", package: "bubblewrap" },
  { command: "socat", package: "socat" },
];

describeWith(PACKAGES, "Branches of an ordinary user", () => {
  test("keep to the contract, and the real CLI runs turns in them at the workspace's path, in its sandbox and without", async () => {
    const printed = await runAsUser("test/support/branches-as-user.mjs");
    const { kind, ...found } = JSON.parse(printed) as { readonly kind: string };
    // Which of them depends on the kernel's settings; the script has tried by itself whether an overlay can be had.
    expect(["private-overlay", "clone", "copy"]).toContain(kind);
    const turn = { isAtWorkspace: true, reward: 1, taken: false };
    expect(found).toEqual({ checks: BRANCH_CONTRACT.length, turns: [turn, turn] });
  }, 180_000);
});
