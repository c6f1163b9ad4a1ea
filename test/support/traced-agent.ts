import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClaudeOptions } from "../../src/engine/index.ts";
import { loadScenario } from "../../src/offline/index.ts";
import { startOfflineAgent, type OfflineAgent } from "../../src/testing/index.ts";
import type { Transition } from "../../src/trace/index.ts";
import { Workspace, type WorkspaceOptions } from "../../src/workspace/index.ts";

/** The real CLI on the `direct` scenario, and as many workspaces for it as a test asks for. */
export interface TracedAgent extends AsyncDisposable {
  readonly agent: OfflineAgent;
  /** A workspace in an empty directory, with a home of its own unless one is given. It is closed at the end. */
  workspace(options?: WorkspaceOptions & { readonly path?: string }): Promise<Workspace>;
  /** A new empty folder. */
  folder(): Promise<string>;
  /** What the model was sent for the turns of one conversation: for each request, the texts of its messages. */
  said(): readonly (readonly string[])[];
  close(): Promise<void>;
}

/** Starts it. */
export async function startTracedAgent(options: ClaudeOptions = {}): Promise<TracedAgent> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "skein-traced-")));
  const agent = await startOfflineAgent(await loadScenario("direct"), { allowedTools: ["Bash", "Agent"], ...options });
  const opened: Workspace[] = [];
  const folder = (): Promise<string> => mkdtemp(join(root, "w-"));
  const close = async (): Promise<void> => {
    for (const workspace of opened) await workspace.close();
    await agent.close();
    await rm(root, { recursive: true, force: true, maxRetries: 9 });
  };
  return {
    agent,
    folder,
    async workspace({ path, ...given } = {}) {
      const directory = path ?? (await folder());
      await mkdir(directory, { recursive: true });
      const workspace = await Workspace.open(directory, { home: await folder(), ...given });
      opened.push(workspace);
      return workspace;
    },
    said: () =>
      agent.requests
        .filter(isTurn)
        .map(({ messages }) => messages.map(({ role, content }) => `${role}: ${textOf(content)}`)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What became of the files in a turn, a line for each. */
export async function changedPaths(transition: Transition): Promise<readonly string[]> {
  return (await transition.filesChanged()).map(({ type, path }) => `${type} ${path}`).toSorted();
}

type Request = OfflineAgent["requests"][number];

/** What the CLI asks beside the conversation offers no tools. */
function isTurn(request: Request): boolean {
  return (request.tools?.length ?? 0) > 0;
}

/** What a message says: reminders that the CLI adds are its own matter. */
function textOf(content: Request["messages"][number]["content"]): string {
  if (typeof content === "string") return withoutReminders(content);
  return content
    .map((block) => {
      if (block.type === "text") return withoutReminders(String(block["text"]));
      if (block.type === "tool_use") return `${String(block.name)} ${JSON.stringify(block.input)}`;
      return block.type === "tool_result" ? `result ${JSON.stringify(block.content)}` : block.type;
    })
    .filter(Boolean)
    .join(" | ");
}

function withoutReminders(text: string): string {
  return text.replaceAll(/<system-reminder>.*?<\/system-reminder>\s*/gsu, "").trim();
}
