import { describe, expect, test } from "vitest";
import { drain } from "../../core/index.ts";
import { systemClock } from "../../core/internal.ts";
import { createFakeClock, startOfflineAgent } from "../../testing/index.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { ClaudeSDKClient } from "../claude-sdk-client.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { withPlugins } from "../plugins/with-plugins.ts";
import { ProcessManager } from "../processes/process-manager.ts";

const scenario = { name: "control", rules: [{ steps: [{ say: "hello" }] }] };

type Control = readonly [name: string, run: (client: ClaudeSDKClient) => Promise<unknown>];

const CONTROLS: readonly Control[] = [
  ["interrupt", (client) => client.interrupt()],
  ["setModel", (client) => client.setModel("claude-opus-4-8")],
  ["setPermissionMode", (client) => client.setPermissionMode("plan")],
  ["contextUsage", (client) => client.contextUsage()],
  ["mcpStatus", (client) => client.mcpStatus()],
  ["rewindFiles", (client) => client.rewindFiles("1c2c1d7e-0000-4000-8000-000000000000")],
];

describe("a control request that the CLI refuses", () => {
  test("is an error of the kind of what was asked for, and the client goes on as before", async () => {
    await using agent = await startOfflineAgent(scenario);
    await using client = new ClaudeSDKClient(agent.options);
    await client.ask("Go");
    await expect(client.setModel("no-such-model")).rejects.toMatchObject({
      name: "InvalidModelError",
      kind: "invalid_model",
      model: "no-such-model",
    });
    await expect(client.setPermissionMode("bypassPermissions")).rejects.toMatchObject({
      name: "ClaudeConfigError",
      kind: "config",
      option: "permissionMode",
    });
    await expect(client.rewindFiles("nothing")).rejects.toMatchObject({ kind: "usage", target: "nothing" });
    await expect(client.rewindFiles(undefined as never)).rejects.toMatchObject({ kind: "usage" });
    await expect(drain(client.stream(claudePrompt("Go"), { model: "no-such-model" }))).rejects.toMatchObject({
      kind: "invalid_model",
    });
    expect(await client.ask("Go")).toMatchObject({ text: "hello", model: "claude-sonnet-5-5" });
  });

  test("leaves a session behind plugins with the model that it had", async () => {
    await using agent = await startOfflineAgent(scenario);
    await using session = withPlugins(agent.engine, []).open?.();
    const go = async () => session && (await drain(session.stream(claudePrompt("Go"))));
    await go();
    await expect(session?.setModel?.("no-such-model")).rejects.toMatchObject({ kind: "invalid_model" });
    await expect(session?.setModel?.(7 as never)).rejects.toMatchObject({ kind: "config" });
    expect(await go()).toMatchObject({ text: "hello", isError: false });
  });

  test("is one of usage where no copies of files were kept since such a message", async () => {
    await using agent = await startOfflineAgent(scenario, { enableFileCheckpointing: true });
    await using client = new ClaudeSDKClient(agent.options);
    await client.ask("Go");
    const ids = ["nothing", "1c2c1d7e-0000-4000-8000-000000000000", undefined as never];
    const outcomes = await Promise.all(ids.map((id) => client.rewindFiles(id).catch((error: unknown) => error)));
    expect(outcomes).toMatchObject(ids.map(() => ({ kind: "usage" })));
  });
});

describe("a control request to a CLI", () => {
  test("that is killed before it answers is a process error with the signal, whichever it is", async () => {
    await using agent = await startOfflineAgent(scenario);
    const failures = await Promise.all(
      CONTROLS.map(async ([name, run]) => {
        await using stopped = await startStopped(agent.options);
        const failing = run(stopped.client).catch((error: unknown) => error);
        stopped.kill();
        const failure = await failing;
        // What is asked of one that is known to be gone is the same; a model is kept for the next process.
        return [name, failure, await run(stopped.client).catch((error: unknown) => error)];
      }),
    );
    const lost = { name: "ProcessError", kind: "process", signal: "SIGKILL" };
    const expected = CONTROLS.map(([name]) => [name, lost, name.startsWith("set") ? undefined : lost]);
    expect(failures).toMatchObject(expected);
  });

  test("that does not answer ends in time, and one that is disconnected meanwhile is cancelled", async () => {
    await using agent = await startOfflineAgent(scenario);
    const clock = createFakeClock();
    await using stopped = await startStopped({ ...agent.options, idleTimeoutMs: 3000, graceMs: 0 }, clock);
    const answer = stopped.client.contextUsage().catch((error: unknown) => error);
    await expect
      .poll(() => {
        clock.advance(1000);
        return Promise.race([answer, Promise.resolve(undefined)]);
      })
      .toMatchObject({ kind: "timeout", reason: "idle" });
    stopped.kill();
    await using patient = await startStopped({ ...agent.options, graceMs: 0 });
    const asking = patient.client.contextUsage().catch((error: unknown) => error);
    await patient.client.disconnect();
    expect(await asking).toMatchObject({ kind: "cancelled" });
    await expect(patient.client.contextUsage()).rejects.toMatchObject({ kind: "usage" });
  });

  test("that does not know a flag is an error of configuration", async () => {
    await using agent = await startOfflineAgent(scenario, { extraArgs: { "no-such-flag": null } });
    await using client = new ClaudeSDKClient(agent.options);
    await client.connect();
    await expect(client.contextUsage()).rejects.toMatchObject({ kind: "config" });
  });

  test("that is gone takes another model for the process that comes after it", async () => {
    await using agent = await startOfflineAgent(scenario);
    await using stopped = await startStopped(agent.options);
    stopped.kill();
    await expect.poll(() => stopped.processes.processes()).toEqual([]);
    await stopped.client.setModel("claude-opus-4-8");
    expect(await stopped.client.ask("Go")).toMatchObject({ model: "claude-opus-4-8", isError: false });
  });
});

/** A client whose CLI is up, and answers nothing more. */
async function startStopped(options: ClaudeOptions, clock = systemClock) {
  const processes = new ProcessManager();
  const client = new ClaudeSDKClient(options, { processes, clock });
  await client.connect();
  // The CLI tells them when it comes up: they are known from then on.
  await client.supportedCommands();
  const pid = processes.processes()[0]?.pid ?? 0;
  process.kill(pid, "SIGSTOP");
  return {
    client,
    processes,
    kill: () => void process.kill(pid, "SIGKILL"),
    [Symbol.asyncDispose]: () => client.disconnect(),
  };
}
