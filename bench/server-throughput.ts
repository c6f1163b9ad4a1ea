import { Agent, request } from "node:http";
import { defineScenario, startOfflineServer } from "skein/offline";

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

/** How much the offline server serves: whole streams a second, and slow streams that are open at once. */
export async function benchServer(): Promise<readonly string[]> {
  await using server = await startOfflineServer({ scenario });
  const startedAt = performance.now();
  let left = REQUESTS;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await ask(server.url, "Quickly");
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, client));
  const seconds = (performance.now() - startedAt) / 1000;

  const slowStartedAt = performance.now();
  await ask(server.url, "Slowly");
  const aloneMs = performance.now() - slowStartedAt;
  const togetherStartedAt = performance.now();
  await Promise.all(Array.from({ length: STREAMS }, () => ask(server.url, "Slowly")));
  const togetherMs = performance.now() - togetherStartedAt;
  return [
    `offline server: ${(REQUESTS / seconds).toFixed(0)} streamed responses/s (${REQUESTS} requests, ${CONCURRENCY} at a time, client in the same process)`,
    `offline server: ${STREAMS} slow streams at once took ${(togetherMs / aloneMs).toFixed(2)} times as long as one`,
  ];
}

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
