import { expect, test } from "vitest";
import { loadScenario } from "../../src/offline/index.ts";
import { isolate, IsolationConfig } from "../../src/isolation/index.ts";
import { startOfflineAgent } from "../../src/testing/index.ts";
import { bash, KEY, runCalls, toVerdict, type Call } from "../support/isolated-attack.ts";
import { plantCanary } from "../support/planted-canary.ts";
import { describeWith } from "../support/require-package.ts";
import { planting, SANDBOX_PACKAGES, TRIGGERED_IN_VAIN, triggering } from "../support/two-turns.ts";

// That all of this does run on the host without the isolation is shown in test/slow/isolation-attacks.test.ts.
describeWith(SANDBOX_PACKAGES, "what an isolated agent leaves for its next turn", () => {
  test("is not run outside of the sandbox, and git works inside of it", async () => {
    await using agent = await startOfflineAgent(await loadScenario("direct"), { permissionMode: "bypassPermissions" });
    await using canary = await plantCanary(agent.cwd);
    await using isolated = await isolate(IsolationConfig({ apiKey: KEY }), agent.options);
    const work = [
      "git init -q ~/one && cd ~/one && printf '#!/bin/sh\necho hooked\n' > .git/hooks/pre-commit",
      "chmod +x .git/hooks/pre-commit && echo one > file.txt && git add . && git -c user.name=a -c user.email=a@b commit -qm one 2>&1",
      "cd .. && git clone -q one two && git -C two log --format='%an %s'",
    ];
    // Whoever moves the sandbox's own sockets away would have one of the host bound in their place for the next command.
    const swap = `cd $TMPDIR/.. && for s in *.sock; do mv $s $s.old; ln -s ${canary.socket} $s; done; ls`;
    const connect = (port: number): Call =>
      bash(`timeout 3 bash -c 'exec 5<>/dev/tcp/127.0.0.1/${port}; echo hello >&5; cat <&5'`);
    const first = await runCalls(isolated.options, [
      bash(work.join(" && ")),
      bash(swap),
      connect(3128),
      ...planting(canary),
    ]);
    expect(first.attempts[0]?.output).toMatch(/^hooked\na one$/mu);
    expect(first.attempts[1]?.output).toContain("Read-only file system");
    expect(first.attempts.slice(-2).map(({ output }) => output.split("\n").at(-1))).toEqual(["planted", "planted"]);
    const second = await runCalls(isolated.options, [connect(1080), ...triggering(agent.cwd)]);
    expect(second.attempts.slice(1).map(toVerdict)).toEqual(TRIGGERED_IN_VAIN);
    expect(await canary.seen()).toEqual({ ran: [], connections: 0 });
  });
});
