// An engine that starts nothing: it writes the files that the prompt names, keeps a session as the CLI does, and ends.
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const USAGE = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };

/** A prompt is a line for each file: `name content`. */
export function createFileEngine() {
  async function* stream(prompt, options = {}) {
    const sessionId = options.resume && !options.forkSession ? options.resume : randomUUID();
    const base = () => ({ timestamp: new Date().toISOString(), sessionId });
    const say = (role, content) =>
      options.sessionStore?.append({ projectKey: "p", sessionId }, [
        {
          type: role,
          uuid: randomUUID(),
          sessionId,
          timestamp: new Date().toISOString(),
          message: { role, content, ...(role === "assistant" ? { id: randomUUID(), model: "file" } : {}) },
        },
      ]);
    yield { ...base(), type: "turn-start", model: "file", cwd: options.cwd, tools: [], permissionMode: "default" };
    await say("user", prompt.text);
    for (const line of prompt.text.split("\n")) {
      const [name, ...words] = line.split(" ");
      const call = { toolUseId: randomUUID(), tool: "Write" };
      yield { ...base(), ...call, type: "tool-start", input: { name } };
      writeFileSync(join(options.cwd, name), words.join(" "));
      yield { ...base(), ...call, type: "tool-end", output: "ok", isError: false, isDenied: false, durationMs: 1 };
    }
    await say("assistant", "done");
    const result = {
      text: "done",
      sessionId,
      isError: false,
      usage: USAGE,
      usageByModel: { file: { ...USAGE, costUsd: 0.01 } },
      costUsd: 0.01,
      durationMs: 1,
      responses: 1,
      model: "file",
      permissionDenials: [],
    };
    yield { ...base(), type: "turn-end", result };
    return result;
  }
  return { stream, execute: () => Promise.reject(new Error("Only streams")) };
}
