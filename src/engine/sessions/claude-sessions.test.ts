import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOfflineAgent, type OfflineAgent } from "../../testing/index.ts";
import {
  archiveClaudeSession,
  deleteClaudeSession,
  findClaudeSession,
  forkClaudeSession,
  listClaudeSessions,
  renameClaudeSession,
  tagClaudeSession,
} from "./claude-sessions.ts";

const ID = "0b5d3c5e-4f0e-4a53-9c55-0a4b6c6f5f11";
const NOBODY = "1c2c1d7e-0000-4000-8000-000000000000";

let agent: OfflineAgent;
let before: string | undefined;
beforeAll(async () => {
  agent = await startOfflineAgent({ name: "sessions", rules: [{ steps: [{ say: "hello" }] }] }, { sessionId: ID });
  before = process.env["CLAUDE_CONFIG_DIR"];
  process.env["CLAUDE_CONFIG_DIR"] = agent.options.env?.["CLAUDE_CONFIG_DIR"];
  await agent.engine.execute("Say hello");
});
afterAll(async () => {
  if (before === undefined) delete process.env["CLAUDE_CONFIG_DIR"];
  else process.env["CLAUDE_CONFIG_DIR"] = before;
  await agent.close();
});

describe("a session of Claude Code's own", () => {
  test("is listed, renamed, tagged, put away, copied and deleted", async () => {
    const { cwd } = agent;
    expect(await listClaudeSessions({ cwd })).toMatchObject([{ sessionId: ID, firstPrompt: "Say hello" }]);
    await renameClaudeSession(ID, " A greeting ", { cwd });
    await tagClaudeSession(ID, "kept");
    expect(await findClaudeSession(ID)).toMatchObject({ customTitle: "A greeting", tag: "kept" });
    await tagClaudeSession(ID, null);
    expect((await findClaudeSession(ID, { cwd }))?.tag).toBeUndefined();
    await archiveClaudeSession(ID);
    expect(await listClaudeSessions({ limit: 1 })).toMatchObject([{ archived: true }]);
    await archiveClaudeSession(ID, { isArchived: false });
    const { sessionId } = await forkClaudeSession(ID, { title: "A copy" });
    expect(await findClaudeSession(sessionId)).toMatchObject({ customTitle: "A copy" });
    expect(await listClaudeSessions({ cwd, includeProgrammatic: true })).toHaveLength(2);
    await deleteClaudeSession(ID, { cwd });
    expect(await findClaudeSession(ID)).toBeUndefined();
  });

  test.each([
    ["rename", (id: string) => renameClaudeSession(id, "x")],
    ["tag", (id: string) => tagClaudeSession(id, "x")],
    ["archive", (id: string) => archiveClaudeSession(id)],
    ["fork", (id: string) => forkClaudeSession(id)],
    ["delete", (id: string) => deleteClaudeSession(id)],
  ])("that there is not cannot be changed: %s", async (_, call) => {
    const missing = { kind: "session_not_found", hint: expect.any(String) };
    await expect(call(NOBODY)).rejects.toMatchObject({ ...missing, target: NOBODY });
    await expect(call("../x")).rejects.toMatchObject({ ...missing, target: "../x" });
  });

  test("is not looked for by what is no id", async () => {
    expect(await findClaudeSession("../x")).toBeUndefined();
  });

  test.each([
    ["title", () => renameClaudeSession(ID, " ")],
    ["tag", () => tagClaudeSession(ID, "")],
    ["options.limit", () => listClaudeSessions({ limit: 0 })],
    ["options", () => listClaudeSessions({ dir: "." } as never)],
    ["options.upToMessageId", () => forkClaudeSession(ID, { upToMessageId: "last" })],
  ])("is not changed by what is wrong with %s", async (target, call) => {
    await expect(call()).rejects.toMatchObject({ kind: "usage", target });
  });
});
