import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { SkeinError } from "../../../src/core/index.ts";
import { ClaudeEngine } from "../../../src/engine/index.ts";
import { ClaudeAgent, type AgentResponse, type Conversation } from "../../../src/trace/index.ts";
import { usageOf } from "../../../src/transcript/index.ts";
import type { Counted, Face, Outcome } from "./face.ts";
import { startKeptParts, type Setup } from "./kept-parts.ts";

/** An agent whose turns are recorded; what its conversation alone can do is asked of that. */
export async function startAgentFace(setup: Setup): Promise<Face> {
  const parts = await startKeptParts(setup);
  const { clock, processes } = parts;
  const { permissionMode } = setup;
  const home = await mkdtemp(join(parts.agent.home, "skein-"));
  const { maxConversationCostUsd, ...defaults } = parts.options;
  const engine = new ClaudeEngine(defaults, { processes, clock });
  const options = {
    ...(maxConversationCostUsd === undefined ? {} : { maxConversationCostUsd }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
  };
  const start = (): ClaudeAgent => new ClaudeAgent(parts.agent.cwd, { engine, options, workspace: { home } });
  let agent = start();
  let pieces = 0;
  let events: ReturnType<ClaudeAgent["stream"]> | undefined;
  const conversation = (): Conversation => {
    if (agent.conversation) return agent.conversation;
    throw new SkeinError("There is no conversation yet", { kind: "usage" });
  };
  return {
    agent: parts.agent,
    cwd: parts.agent.cwd,
    hasQueue: false,
    tellsFolded: false,
    countsRefused: true,
    connectsFirst: false,
    pids: parts.pids,
    heard: () => pieces,
    async send(prompt, turn) {
      events = agent.stream(prompt, turn);
    },
    async read() {
      for (;;) {
        const { done, value } = (await events?.next()) ?? {};
        if (done) return toOutcome(value as AgentResponse);
        if (value && "type" in value && value.type === "text-delta") pieces += 1;
      }
    },
    async leave() {
      for await (const event of events ?? []) if (event.type === "tool-start") return;
    },
    add: async (prompt) => await conversation().addPrompt(prompt),
    interrupt: async () => await conversation().interrupt(),
    setModel: async (model) => await conversation().setModel(model),
    setPermissionMode: async (mode) => await conversation().setPermissionMode(mode),
    idle: (ms) => clock.advance(ms),
    counted: () => countTurns(agent),
    tokensInTranscripts: async () => await tokensInSession(agent),
    async reopen() {
      const id = agent.conversation?.id;
      await parts.closing(() => agent.close());
      agent = start();
      if (id !== undefined) await agent.loadConversation(id);
    },
    async close() {
      await parts.closing(() => agent.close());
      await parts.close();
    },
  };
}

function countTurns(agent: ClaudeAgent): Counted {
  const turns = agent.conversation?.history() ?? [];
  const errors = turns.filter(({ execution }) => execution.isError).length;
  return { turns: turns.length, errors, costUsd: agent.totalCostUsd };
}

async function tokensInSession(agent: ClaudeAgent): Promise<number> {
  const session = await agent.history().at(-1)?.sessionAfter();
  return session ? usageOf(session).total.usage.outputTokens : 0;
}

function toOutcome({ transition }: AgentResponse): Outcome {
  const { execution } = transition;
  return {
    text: execution.response,
    kind: execution.error?.kind,
    model: execution.model,
    models: Object.keys(execution.usageByModel).toSorted(),
    deniedTools: execution.permissionDenials.map(({ tool }) => tool),
    costUsd: execution.costUsd,
    outputTokens: execution.usage.outputTokens,
    responses: execution.responses,
    isFolded: false,
  };
}
