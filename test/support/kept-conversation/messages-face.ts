import { expect } from "vitest";
import { AsyncQueue } from "../../../src/core/index.ts";
import { ClaudeSDKClient } from "../../../src/engine/index.ts";
import { toOutcome, type Face, type Outcome } from "./face.ts";
import { startKeptParts, type Setup } from "./kept-parts.ts";

/** A client that somebody reads without an end, over all of its turns. */
export async function startMessagesFace(setup: Setup): Promise<Face> {
  const parts = await startKeptParts(setup);
  const { agent, clock, processes } = parts;
  const client = new ClaudeSDKClient(parts.options, { processes, clock });
  const outcomes = new AsyncQueue<Outcome>();
  let pieces = 0;
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    for await (const event of client.receiveMessages()) {
      if (event.type === "text-delta") pieces += 1;
      if (event.type === "turn-end") await outcomes.push(toOutcome(event.result));
    }
  };
  const listen = async (): Promise<void> => {
    await client.connect();
    // A process that is lost between turns ends the reading: that is told to who reads.
    reading ??= read()
      .catch((error: unknown) => expect(error).toMatchObject({ kind: "process" }))
      .finally(() => (reading = undefined));
  };
  const disconnect = async (): Promise<void> => {
    await parts.closing(() => client.disconnect());
    await reading;
  };
  return {
    agent,
    cwd: agent.cwd,
    hasQueue: true,
    tellsFolded: false,
    countsRefused: false,
    connectsFirst: true,
    pids: parts.pids,
    heard: () => pieces,
    async send(prompt) {
      await listen();
      await client.query(prompt);
    },
    add: (prompt) => client.query(prompt),
    async read() {
      const { value } = await outcomes.next();
      if (value === undefined) throw new Error("The messages came to an end");
      return value;
    },
    interrupt: () => client.interrupt(),
    setModel: (model) => client.setModel(model),
    setPermissionMode: (mode) => client.setPermissionMode(mode),
    idle: (ms) => clock.advance(ms),
    counted: () => client.statistics(),
    tokensInTranscripts: parts.tokensInTranscripts,
    reopen: disconnect,
    async close() {
      await disconnect();
      await parts.close();
      if (outcomes.size > 0) throw new Error(`${outcomes.size} turns ended that nobody began`);
    },
  };
}
