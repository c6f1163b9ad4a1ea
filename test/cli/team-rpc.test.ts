import { once } from "node:events";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { ask, serveMonitor } from "../support/monitor-client.ts";
import { openSkein } from "./support/open-skein.ts";
import { temporaryDirectory } from "./support/skein.ts";

it(
  "plays a team by JSON-RPC, with each handoff as a notification, and takes the approval of its plan by the server",
  { timeout: 240_000 },
  async () => {
    const [cwd, home] = [await temporaryDirectory(), join(await temporaryDirectory(), "home")];
    const monitor = await serveMonitor(home);
    const rpc = await openSkein(["rpc"], { cwd, env: { SKEIN_HOME: home } });
    const params = { goal: "Build a list of tasks", offline: "team", workers: 2, ask: "remote", approve_plan: true };
    rpc.send({ jsonrpc: "2.0", id: 7, method: "team", params });
    const question = await vi.waitFor(
      async () => {
        const { questions } = (await ask(`${monitor.url}/api/questions`, monitor)).json;
        expect(questions).toHaveLength(1);
        return questions[0];
      },
      { timeout: 60_000, interval: 100 },
    );
    expect(question).toMatchObject({ kind: "plan", input: { plan: expect.stringContaining("Add tasks") } });
    await rpc.find(({ params: told }) => told?.event.type === "escalated");
    const { status } = await ask(`${monitor.url}/api/questions/${question.question_id}/answer`, {
      ...monitor,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "allow" }),
    });
    expect(status).toBe(200);
    const { result } = await vi.waitFor(
      () => {
        const answer = rpc.received.find(({ id, method }) => id === 7 && method === undefined);
        expect(answer).toBeDefined();
        return answer ?? {};
      },
      { timeout: 120_000, interval: 100 },
    );
    expect(result).toMatchObject({ outcome: "completed", merged: expect.arrayContaining(["store", "add", "list"]) });
    const told = rpc.received.flatMap(({ method, params: given }) =>
      method === "event" && given?.id === 7 ? [given.event.type] : [],
    );
    expect(told.filter((type) => type === "item-merged")).toHaveLength(3);
    expect(told.indexOf("answered")).toBeLessThan(told.indexOf("plan-made"));
    expect((await rpc.end()).code).toBe(0);
    monitor.process.kill("SIGTERM");
    await once(monitor.process, "close");
  },
);
