import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toScript } from "../support/isolated-attack.ts";
import { plantCanary, type Canary } from "../support/planted-canary.ts";
import { describeWith } from "../support/require-package.ts";
import { runAsUser } from "../support/run-as-user.ts";
import { planting, SANDBOX_PACKAGES, TRIGGERED_IN_VAIN, triggering } from "../support/two-turns.ts";

const PACKAGES = [...SANDBOX_PACKAGES, { command: "setpriv", package: "util-linux" }];

describeWith(PACKAGES, "an isolated agent of an ordinary user", () => {
  test("gets nothing of what it planted run on the host in its next turn", async () => {
    let canary: Canary | undefined;
    const printed = await runAsUser("test/support/attack-as-user.mjs", async (home) => {
      const cwd = join(home, "work");
      await mkdir(cwd);
      canary = await plantCanary(cwd);
      return [cwd, JSON.stringify([toScript(planting(canary)), toScript(triggering(cwd))])];
    });
    const { uid, turns } = JSON.parse(printed) as { readonly uid: number; readonly turns: unknown };
    expect(uid).not.toBe(0);
    expect(turns).toEqual([Array(4).fill("Bash done"), TRIGGERED_IN_VAIN]);
    expect(await canary?.seen()).toEqual({ ran: [], connections: 0 });
    await canary?.[Symbol.asyncDispose]();
  });
});
