import { Agent, request } from "node:http";
import { defineScenario, startOfflineServer } from "skein/offline";
import { timed } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { row } from "./harness/row.ts";

const REQUESTS = 3000;
const CONCURRENCY = 50;
const STREAMS = 500;

const scenario = defineScenario({
  name: "bench",
  rules: [
    {
      when: { prompt: "^Slowly" },
      steps: [{ fail: { type: "drip", tokensPerSecond: 20 } }, { say: "word ".repeat(20) }],
    },
    { steps: [{ say: "A short answer to a short question." }] },
  ],
});

export const serverThroughput: Bench = {
  name: "server",
  summary: "how much the offline server serves: whole streams a second, and slow streams that are open at once",
  async run() {
    await using server = await startOfflineServer({ scenario });
    const quickMs = await timed(async () => {
      let left = REQUESTS;
      const client = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await ask(server.url, "Quickly");
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, client));
    });
    const aloneMs = await timed(() => ask(server.url, "Slowly"));
    const togetherMs = await timed(() => Promise.all(Array.from({ length: STREAMS }, () => ask(server.url, "Slowly"))));
    return [
      row({
        name: "streamed-responses",
        what: `streamed responses, ${CONCURRENCY} at a time`,
        note: "the client is in the same process",
        ours: REQUESTS / (quickMs / 1000),
        unit: "/s",
      }),
      row({
        name: "slow-streams",
        what: `${STREAMS} slow streams at once`,
        ours: togetherMs,
        unit: "ms",
        beside: { name: "one", value: aloneMs },
      }),
    ];
  },
};

/** Node's own client with open connections: fetch takes longer than the server does. */
const agent = new Agent({ keepAlive: true });

function ask(url: string, content: string): Promise<void> {
  const body = { model: "claude-sonnet-5-5", max_tokens: 100, stream: true, messages: [{ role: "user", content }] };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/messages`, { method: "POST", agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("error", reject).on("end", () => {
        if (text.includes("message_stop")) resolve();
        else reject(new Error(`Not a whole stream: ${text.slice(-200)}`));
      });
    });
    sent.on("error", reject).end(JSON.stringify(body));
  });
}
