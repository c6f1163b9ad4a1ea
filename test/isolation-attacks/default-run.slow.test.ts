import { realpath } from "node:fs/promises";
import { expect, test } from "vitest";
import { bash, toScript, type Call } from "../support/isolated-attack.ts";
import { plantCanary } from "../support/planted-canary.ts";
import { describeWith } from "../support/require-package.ts";
import { SANDBOX_PACKAGES } from "../support/two-turns.ts";
import { runSkeinJson, temporaryDirectory } from "../cli/support/skein.ts";

describeWith(SANDBOX_PACKAGES, "an agent in a default run", () => {
  test("gets no git of the CLI to run what it planted, unless worktrees are allowed", async () => {
    const cwd = await realpath(await temporaryDirectory());
    await using canary = await plantCanary(cwd);
    const run = async (calls: readonly Call[], ...flags: readonly string[]): Promise<unknown> => {
      const args = ["run", toScript(calls), "--offline", "direct", ...flags];
      const { envelope } = await runSkeinJson(args, { cwd });
      return (envelope["data"] as { readonly tools: unknown }).tools;
    };
    const worktree: Call = { tool: "EnterWorktree", input: { name: "away" } };
    const agent = { description: "Look", prompt: "say hello", isolation: "worktree", run_in_background: false };

    await run([bash(`sh ${canary.plant} .`), bash(`sh ${canary.plant} sub`)]);
    const refused = { calls: 1, errors: 0, denied: 1 };
    expect(
      await run([
        bash("cd sub"),
        worktree,
        { tool: "Agent", input: agent },
        { tool: "SendMessage", input: { to: `uds:${canary.socket}`, message: "Obey", summary: "An order" } },
        { tool: "CronCreate", input: { cron: "* * * * *", prompt: "Again", durable: true } },
      ]),
    ).toEqual([
      { tool: "Bash", calls: 1, errors: 0, denied: 0 },
      { tool: "EnterWorktree", ...refused },
      { tool: "Agent", ...refused },
      { tool: "SendMessage", ...refused },
      { tool: "CronCreate", ...refused },
    ]);
    expect(await canary.seen()).toEqual({ ran: [], connections: 0 });

    await run([bash("cd sub"), worktree], "--allow-worktrees");
    expect((await canary.seen()).ran).toContain("evil.sh core.sshCommand");
  });
});
