import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { claudePrompt } from "../../src/engine/index.ts";
import { loadScenario } from "../../src/offline/index.ts";
import { startOfflineAgent } from "../../src/testing/index.ts";
import { Workspace } from "../../src/workspace/index.ts";
import { expectNoProcessWith } from "./support/marked-processes.ts";
import { connectMcp, errorOf, MCP_SERVER } from "./support/mcp-client.ts";
import { openSkein } from "./support/open-skein.ts";
import { endlessBash, scenarioFile } from "./support/scenario-file.ts";
import { temporaryDirectory } from "./support/skein.ts";
import { keptWorkspace, type TracedWorkspace } from "./support/traced-workspace.ts";

const SLOW = { timeout: 60_000 } as const;
const ALL = ["restore", "explore", "sessions", "unconfined", "modules", "outside"].map((what) => `--allow-${what}`);

let workspace: TracedWorkspace;
beforeAll(async () => {
  workspace = await keptWorkspace();
});

describe("skein mcp", () => {
  it("offers tools whose schemas and hints are those of the commands", SLOW, async () => {
    const client = await connectMcp(workspace, ...ALL);
    const { tools } = await client.listTools();
    const hints = tools.map(({ name, annotations }) => [
      name,
      annotations?.readOnlyHint,
      annotations?.destructiveHint,
      annotations?.idempotentHint,
      annotations?.openWorldHint,
    ]);
    expect(hints).toEqual([
      ["run", false, true, false, true],
      ["checkpoint", false, true, true, false],
      ["explore", false, true, false, true],
      ["restore", false, true, true, false],
      ["log", true, false, true, false],
      ["search", true, false, true, false],
      ["show", true, false, true, false],
      ["adopt", false, true, true, false],
      ["tree", true, false, true, false],
      ["search_sessions", true, false, true, false],
    ]);
    const find = (wanted: string) => tools.find(({ name }) => name === wanted);
    expect(find("checkpoint")?.inputSchema).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        name: { type: "string", description: expect.any(String) },
        state: { type: "string", description: expect.any(String) },
        cwd: { type: "string", description: expect.any(String) },
        replace: { type: "boolean", default: false, description: expect.any(String) },
        delete: { type: "boolean", default: false, description: expect.any(String) },
      },
      required: ["name"],
      additionalProperties: false,
    });
    expect(find("search")?.inputSchema.required).toEqual(["text"]);
    expect(find("checkpoint")?.outputSchema?.required).toEqual(["name", "state_id", "action"]);
    expect(Object.keys(find("run")?.inputSchema.properties ?? {})).toEqual(
      expect.arrayContaining(["permission_mode", "allowed_tools", "attach", "resume"]),
    );
    // Who answers for a person is not the calling model's to choose.
    for (const name of ["run", "explore"]) expect(find(name)?.inputSchema.properties).not.toHaveProperty("ask");
  });

  it("does what the commands do, as structured content that fits the schema and as text", SLOW, async () => {
    const client = await connectMcp(workspace, "--allow-restore", "--allow-unconfined");
    await client.listTools();
    const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });
    await writeFile(join(workspace.cwd, "a.txt"), "one");
    const made = await call("checkpoint", { name: "before" });
    expect(made.structuredContent).toMatchObject({ name: "before", action: "set" });
    expect(errorOf(made)).toEqual(made.structuredContent);

    const told: (string | undefined)[] = [];
    const ran = await client.callTool(
      {
        name: "run",
        arguments: { prompt: 'Bash {"command":"echo two > a.txt"}', offline: "direct", allowed_tools: ["Bash"] },
      },
      undefined,
      { onprogress: ({ message }) => told.push(message) },
    );
    expect(ran.structuredContent).toMatchObject({ is_error: false, files: { modified: ["a.txt"] } });
    expect(told).toEqual(expect.arrayContaining(["turn-start", "tool-start: Bash", "turn-end", "state-recorded"]));

    expect((await call("search", { text: "echo two" })).structuredContent).toMatchObject({ totals: { turns: 1 } });
    expect((await call("search", { text: "nothing-like-it" })).structuredContent).toMatchObject({
      totals: { turns: 0 },
    });
    expect((await call("tree")).structuredContent).toEqual(await workspace.data("tree"));
    expect((await call("log")).structuredContent).toEqual(await workspace.data("log"));
    expect((await call("show", { state: "@" })).structuredContent).toEqual(await workspace.data("show", "@"));
    expect((await call("restore", { state: "before" })).structuredContent).toMatchObject({
      files: { modified: ["a.txt"] },
    });
    const state = (ran.structuredContent as { readonly state_id: string }).state_id;
    expect((await call("adopt", { state })).structuredContent).toMatchObject({ files: { modified: ["a.txt"] } });
  });

  it("shows the model what went wrong as the envelope's error", SLOW, async () => {
    const client = await connectMcp(workspace);
    const failed = await client.callTool({ name: "show", arguments: { state: "nowhere" } });
    expect(failed.isError).toBe(true);
    expect(errorOf(failed)).toMatchObject({ kind: "state_not_found", operation: "show", target: "nowhere" });
    const wrong = await client.callTool({ name: "log", arguments: { limt: 3 } });
    expect(errorOf(wrong)).toMatchObject({ kind: "usage", target: "limt" });
    const missing = await client.callTool({ name: "search", arguments: {} });
    expect(errorOf(missing)).toMatchObject({ kind: "usage", operation: "search", target: "text" });
    await expect(client.callTool({ name: "gc", arguments: {} })).rejects.toThrow("There is no tool gc");
  });

  it("ends what a cancelled call runs, and what runs when the input ends", SLOW, async () => {
    const client = await connectMcp(workspace, ...ALL);
    const cwd = await temporaryDirectory();
    const run = async (mark: string) => ({
      name: "run",
      arguments: { prompt: "go", offline: await scenarioFile([endlessBash(mark)]), allowed_tools: ["Bash"], cwd },
    });
    const [mark, other] = [`mcp-cancel-${process.pid}`, `mcp-end-${process.pid}`];
    const cancel = new AbortController();
    const call = client.callTool(await run(mark), undefined, {
      signal: cancel.signal,
      onprogress: ({ message }) => message === "tool-start: Bash" && cancel.abort(),
    });
    await expect(call).rejects.toThrow("abort");
    await expectNoProcessWith(mark);
    const isKept = async (): Promise<void> => {
      const { structuredContent } = await client.callTool({ name: "log", arguments: { cwd } });
      expect(structuredContent).toMatchObject({ states: [{ turn: { outcome: "cancelled" } }] });
    };
    await vi.waitFor(isKept, { timeout: 20_000, interval: 50 });

    const { send, find, child } = await openSkein(["mcp", ...ALL], { cwd: workspace.cwd });
    const clientInfo = { name: "test", version: "1" };
    send(
      {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
      },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { ...(await run(other)), _meta: { progressToken: 1 } } },
    );
    await find((message) => JSON.stringify(message).includes("tool-start: Bash"));
    child.stdin.end();
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(0);
    await expectNoProcessWith(other);
  });

  it("lets Claude Code itself name a checkpoint of what it works on", SLOW, async () => {
    const home = await temporaryDirectory();
    const args = [...MCP_SERVER.args, "--allow-restore"];
    await using agent = await startOfflineAgent(await loadScenario("direct"), {
      mcpServers: { skein: { type: "stdio", ...MCP_SERVER, args, env: { SKEIN_HOME: home } } },
      allowedTools: ["mcp__skein__checkpoint"],
    });
    await writeFile(join(agent.cwd, "a.txt"), "one");
    const prompt = claudePrompt({ text: 'mcp__skein__checkpoint {"name":"from-the-agent"}' });
    const { isError, permissionDenials, text } = await agent.engine.execute(prompt);
    expect({ isError, permissionDenials }).toEqual({ isError: false, permissionDenials: [] });
    await using recorded = await Workspace.open(agent.cwd, { home });
    const state = (await recorded.states.checkpoints()).get("from-the-agent");
    expect(text).toContain(state);
    expect(String(await recorded.read("from-the-agent", "a.txt"))).toBe("one");
  });
});
