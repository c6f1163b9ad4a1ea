import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bash, write } from "../../../test/support/direct-script.ts";
import { changedPaths, startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import { claudePrompt } from "../../engine/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { AgentResponse } from "../agent/agent-response.ts";
import { Conversation } from "./conversation.ts";
import { readSession } from "../session/session-segments.ts";

let traced: TracedAgent;
let workspace: Workspace;
let parts: { readonly engine: TracedAgent["agent"]["engine"] };

beforeAll(async () => {
  traced = await startTracedAgent();
  parts = { engine: traced.agent.engine };
});

beforeEach(async () => {
  traced.agent.forget();
  workspace = await traced.workspace();
});

afterAll(() => traced.close());

describe("a conversation on the real CLI", () => {
  it("records each turn and goes on in one process", async () => {
    await using conversation = await Conversation.start(workspace, parts);
    const first = await conversation.send(write("a.txt", "one"));
    const second = await conversation.send(bash("mv a.txt b.txt; echo done"));

    expect(first.execution).toMatchObject({ outcome: "completed", isError: false });
    expect(await changedPaths(first)).toEqual(["created a.txt"]);
    expect(await changedPaths(second)).toEqual(["renamed b.txt"]);
    expect(second.toolsUsed()).toEqual(["Bash"]);
    expect((await second.toolExecutions())[0]).toMatchObject({
      input: { command: "mv a.txt b.txt; echo done" },
      output: "done",
    });
    expect((await second.newMessages()).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    const [early, late] = [await first.sessionAfter(), await second.sessionAfter()];
    expect(late).toMatchObject({ sessionId: second.execution.sessionId, problems: [], subagents: [] });
    expect(late?.messages.slice(0, early?.messages.length)).toEqual(early?.messages);
    expect(late?.messages.flatMap(({ toolUses }) => toolUses.map(({ name }) => name))).toEqual(["Write", "Bash"]);
    expect((await AgentResponse.of(first).then((response) => response.sessionAfter()))?.records).toEqual(
      early?.records,
    );
    expect(second.execution.ledger).toEqual({ source: "result", isLowerBound: false, subagents: {}, mismatches: [] });
    expect(conversation.sessionIds).toHaveLength(1);
    expect(conversation.history().map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(second.before.stateId).toBe(first.after.stateId);
    expect(await workspace.states.head()).toEqual({ stateId: second.after.stateId, conversationId: conversation.id });
  });

  it("undoes a turn, and the next turn's model does not see it", async () => {
    await using conversation = await Conversation.start(workspace, parts);
    await conversation.send(write("a.txt", "one"));
    await conversation.send(bash("rm a.txt; echo SECRETWORD > c.txt"));
    await using again = await conversation.undo();
    expect(await readdir(workspace.path)).toEqual(["a.txt"]);
    traced.agent.forget();
    const third = await again.send(bash("cat a.txt"));
    expect(third.execution.response).toContain("one");
    const sent = JSON.stringify(traced.agent.requests);
    expect(sent).not.toContain("SECRETWORD");
    expect(sent).toContain("a.txt");
    expect(again.history()).toHaveLength(2);
    expect(await readFile(join(workspace.path, "a.txt"), "utf8")).toBe("one");
  });

  it("records and tells the way back of an undo, with what was changed by hand since", async () => {
    await using conversation = await Conversation.start(workspace, parts);
    await conversation.send(write("a.txt", "one"));
    const second = await conversation.send(write("b.txt", "two"));
    await writeFile(join(workspace.path, "by-hand.txt"), "mine");
    await using again = await conversation.undo();
    expect(await readdir(workspace.path)).toEqual(["a.txt", "by-hand.txt"]);
    const { wayBack = "", keptSince, state } = again.arrival ?? {};
    expect({ keptSince, id: state?.id }).toEqual({ keptSince: ["by-hand.txt"], id: second.before.stateId });
    expect(await workspace.states.read(wayBack)).toMatchObject({ parentId: second.after.stateId });

    await using back = await again.restore(wayBack);
    expect(await readdir(workspace.path)).toEqual(["a.txt", "b.txt", "by-hand.txt"]);
    expect(back.id).toBe(conversation.id);
    const third = await back.send(bash("cat b.txt by-hand.txt"));
    expect(third.execution.response).toContain("twomine");
    expect(back.history()).toHaveLength(3);
  });

  it("does not undo a turn in a directory that another conversation has moved on", async () => {
    await using conversation = await Conversation.start(workspace, parts);
    await conversation.send(write("a.txt", "one"));
    await using other = await Conversation.start(workspace, parts);
    await other.send(write("b.txt", "two"));
    await expect(conversation.undo()).rejects.toMatchObject({ kind: "workspace_busy", target: workspace.path });
    expect(await readdir(workspace.path)).toEqual(["a.txt", "b.txt"]);
  });

  it("keeps the sessions of sub-agents, and counts what they used once", async () => {
    await using conversation = await Conversation.start(workspace, parts);
    const delegate = {
      description: "Work",
      prompt: bash("echo sub > sub.txt; echo from-sub"),
      subagent_type: "general-purpose",
    };
    const turn = await conversation.send(`Agent ${JSON.stringify(delegate)}\nsay back`);

    expect(await changedPaths(turn)).toEqual(["created sub.txt"]);
    expect(turn.toolsUsed()).toEqual(["Agent", "Bash"]);
    const [outer, inner] = await turn.toolExecutions();
    expect(inner).toMatchObject({ parentToolUseId: outer?.toolUseId, output: "from-sub" });
    const apart = (await turn.newMessages()).filter(({ subagent }) => subagent !== undefined);
    expect(apart.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(new Set(apart.map(({ subagent }) => subagent)).size).toBe(1);
    const [agent, ...others] = (await turn.sessionAfter())?.subagents ?? [];
    expect(others).toEqual([]);
    expect(agent).toMatchObject({ parentToolUseId: outer?.toolUseId, agentType: "general-purpose", source: "file" });
    expect(agent?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);

    const { ledger, usage, usageByModel } = turn.execution;
    expect(ledger).toMatchObject({ source: "result", isLowerBound: false, mismatches: [] });
    const [model = ""] = Object.keys(usageByModel);
    const { subagents } = ledger;
    expect(Object.keys(subagents)).toEqual([model]);
    const answers = apart.filter(({ role }) => role === "assistant").map(({ raw }) => raw["message"] as Answer);
    const outputTokens = answers.reduce((sum, answer) => sum + answer.usage.output_tokens, 0);
    expect(subagents[model]?.outputTokens).toBe(outputTokens);
    expect(usage.outputTokens).toBeGreaterThan(outputTokens);
    expect(Object.keys(ledger.agents ?? {})).toEqual(["general-purpose"]);
    expect(ledger.agents?.["general-purpose"]).toMatchObject({ ...subagents[model], costUsd: expect.any(Number) });
  });

  it("waits for what a turn sends to the background, and goes on after it", async () => {
    await using conversation = await Conversation.start(workspace, parts);
    const background = { command: "until test -e go; do :; done; echo late > late.txt", run_in_background: true };
    const turn = await conversation.send(
      [`Bash ${JSON.stringify(background)}`, bash("touch go"), "say begun"].join("\n"),
    );
    expect(turn.execution).toMatchObject({ outcome: "completed", response: "begun" });
    expect(await changedPaths(turn)).toEqual(["created go", "created late.txt"]);
    const next = await conversation.send(bash("cat late.txt"));
    expect(next.execution.response).toBe("late");
    expect(await changedPaths(next)).toEqual([]);
    expect(conversation.sessionIds).toHaveLength(1);
  });

  it("keeps what was attached in the session, and only its name with the turn", async () => {
    await using conversation = await Conversation.start(workspace, parts);
    const attachments = [{ type: "text", name: "note.md", text: "ATTACHEDWORDS" }] as const;
    const turn = await conversation.send(claudePrompt({ text: "say read", attachments }));
    expect(turn.prompt).toEqual({ text: "say read", attachments: [{ type: "text", name: "note.md" }] });
    const state = conversation.tip;
    expect(JSON.stringify((await readSession(workspace.states, state as NonNullable<typeof state>)).main)).toContain(
      "ATTACHEDWORDS",
    );
    expect(JSON.stringify(turn.toJSON())).not.toContain("ATTACHEDWORDS");
  });

  it("records structured output", async () => {
    const outputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
    await using conversation = await Conversation.start(workspace, { ...parts, options: { outputSchema } });
    const turn = await conversation.send('output {"city":"Bern"}');
    expect(turn.execution.structuredOutput).toEqual({ city: "Bern" });
  });

  it("records what was changed by hand between turns as an edit, and not as the agent's", async () => {
    await using conversation = await Conversation.start(workspace, parts);
    const first = await conversation.send(write("a.txt", "one"));
    await writeFile(join(workspace.path, "by-hand.txt"), "mine");
    await writeFile(join(workspace.path, "a.txt"), "corrected");
    const second = await conversation.send(bash("cat a.txt > b.txt"));

    expect(await changedPaths(second)).toEqual(["created b.txt"]);
    const { states } = workspace;
    const edit = await states.read(second.before.stateId ?? "");
    expect(edit).toMatchObject({
      parentId: first.after.stateId,
      message: expect.stringMatching(/^Files changed outside/u),
    });
    const changes = await workspace.diff(first.after.stateId ?? "", edit.id);
    expect(changes.map(({ type, path }) => `${type} ${path}`)).toEqual(["modified a.txt", "created by-hand.txt"]);
    await using again = await conversation.undo();
    expect(await readdir(workspace.path)).toEqual(["a.txt", "by-hand.txt"]);
    expect(again.history().map(({ id }) => id)).toEqual([first.id]);
  });
});

interface Answer {
  readonly usage: { readonly output_tokens: number };
}
