import { ClaudeSDKClient } from "../../../src/engine/index.ts";
import { toOutcome, type Face } from "./face.ts";
import { startKeptParts, type Setup } from "./kept-parts.ts";

/** A client whose responses are read one by one. */
export async function startClientFace(setup: Setup): Promise<Face> {
  const parts = await startKeptParts(setup);
  const { agent, clock, processes } = parts;
  const client = new ClaudeSDKClient(parts.options, { processes, clock });
  let pieces = 0;
  return {
    agent,
    cwd: agent.cwd,
    hasQueue: true,
    tellsFolded: true,
    countsRefused: false,
    connectsFirst: false,
    pids: parts.pids,
    heard: () => pieces,
    send: (prompt) => client.query(prompt),
    add: (prompt) => client.query(prompt),
    async read() {
      for await (const event of client.receiveResponse()) {
        if (event.type === "text-delta") pieces += 1;
        if (event.type === "turn-end") return toOutcome(event.result);
      }
      throw new Error("The response had no end");
    },
    async leave() {
      for await (const event of client.receiveResponse()) if (event.type === "tool-start") return;
    },
    interrupt: () => client.interrupt(),
    setModel: (model) => client.setModel(model),
    setPermissionMode: (mode) => client.setPermissionMode(mode),
    idle: (ms) => clock.advance(ms),
    counted: () => client.statistics(),
    tokensInTranscripts: parts.tokensInTranscripts,
    reopen: () => parts.closing(() => client.disconnect()),
    async close() {
      await parts.closing(() => client.disconnect());
      await parts.close();
    },
  };
}
