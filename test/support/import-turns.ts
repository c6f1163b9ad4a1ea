import { spawn } from "node:child_process";
import { once } from "node:events";
import { createId, isoTime } from "../../src/core/internal.ts";
import { formatFile as formatStoredFile } from "../../src/trace/record/stored-file.ts";
import type { Workspace } from "../../src/workspace/index.ts";
import { PLAIN_EXECUTION, recordTurns } from "./record-turns.ts";

/** Writes many turns at once, straight into the store: conversations that all go on from one recorded turn. */
export async function importTurns(
  workspace: Workspace,
  { conversations, turns }: { readonly conversations: number; readonly turns: number },
): Promise<void> {
  const [first] = await recordTurns(workspace, [{ prompt: "the first" }]);
  const git = spawn("git", [`--git-dir=${workspace.gitDirectory}`, "fast-import", "--quiet", "--force"], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  for (let at = 0; at < conversations; at += 1) {
    const id = createId();
    for (let turn = 2; turn <= turns + 1; turn += 1) {
      const from = turn === 2 ? `from ${first?.id}\n` : "";
      if (!git.stdin.write(formatTurn({ id, turn, from }))) await once(git.stdin, "drain");
    }
  }
  git.stdin.end();
  await once(git, "close");
}

function formatTurn({ id, turn, from }: { readonly id: string; readonly turn: number; readonly from: string }): string {
  const recordedAtMs = Date.UTC(2026, 0, 1) + turn * 1000;
  const recordedAt = isoTime(recordedAtMs);
  const text = `turn ${turn}`;
  const state = formatStoredFile({
    kind: "turn",
    conversationId: id,
    recordedAt,
    turns: turn,
    sessionId: "session",
    settings: {},
    leftOut: [],
    moved: [],
  });
  const transition = formatStoredFile({
    id: createId(),
    conversationId: id,
    turn,
    prompt: { text, attachments: [] },
    execution: { ...PLAIN_EXECUTION, response: `${text} is done. `.repeat(20), startedAt: recordedAt },
    recordedAt,
    metadata: {},
    rewards: {},
  });
  const who = `Skein <skein@localhost> ${Math.floor(recordedAtMs / 1000)} +0000`;
  const files = [formatFile("state.json", state), formatFile("transition.json", transition)].join("");
  return `commit refs/skein/conversations/${id}\ncommitter ${who}\n${formatData(text)}${from}${files}\n`;
}

function formatFile(path: string, content: string): string {
  return `M 100644 inline ${path}\n${formatData(content)}`;
}

function formatData(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
