import { expect, test } from "vitest";
import type { SkeinEvent } from "../../core/index.ts";
import { SAMPLE_RESULT } from "../../../test/support/sample-result.ts";
import { createSecretRedactor } from "./secret-redactor.ts";

const KEY = "k3y-of-this-process-0123456789";

test("the values of secret variables are taken out of data, also from inside JSON and out of addresses", () => {
  const { value } = createSecretRedactor([
    { DEPLOY_TOKEN: KEY, DATABASE_URL: "postgres://me:Hunter-22-x@db/app", MULTI_SECRET: 'two\n"lines"-0' },
    { EXTRA_KEY: "given-with-options-1" },
  ]);
  expect(
    value({
      text: `token ${KEY}, password Hunter-22-x`,
      [KEY]: [JSON.stringify({ secret: 'two\n"lines"-0' }), 7, null, "given-with-options-1"],
    }),
  ).toEqual({
    text: "token [redacted DEPLOY_TOKEN], password [redacted DATABASE_URL]",
    "[redacted DEPLOY_TOKEN]": ['{"secret":"[redacted MULTI_SECRET]"}', 7, null, "[redacted EXTRA_KEY]"],
  });
});

test("paths, plain words, small numbers and what only looks like a key are left alone", () => {
  const env = {
    SSH_AUTH_SOCK: "/run/user/agent",
    DB_PASSWORD: "postgres",
    PIN_TOKEN: "12345678",
    TOKEN_URL: "https://example.com/a",
  };
  const { value } = createSecretRedactor([env]);
  const text = "/run/user/agent postgres 12345678 https://example.com/a sk-ant-api03-of-a-test-0123456789";
  expect(value(text)).toBe(text);
});

test("a secret that comes in pieces is not shown, and the turn's result has none", async () => {
  const { events } = createSecretRedactor([{ DEPLOY_TOKEN: KEY }]);
  const stamp = { timestamp: "2026-11-15T00:00:00.000Z", sessionId: "s" };
  async function* turn(): AsyncGenerator<SkeinEvent> {
    for (const text of ["It is ", KEY.slice(0, 9), KEY.slice(9), "."]) yield { ...stamp, type: "text-delta", text };
    yield { ...stamp, type: "text", text: `It is ${KEY}.` };
    yield { ...stamp, type: "turn-end", result: { ...SAMPLE_RESULT, text: `It is ${KEY}.` } };
  }
  const seen: SkeinEvent[] = [];
  const shown = events(turn());
  let next = await shown.next();
  for (; !next.done; next = await shown.next()) seen.push(next.value);
  expect(next.value.text).toBe("It is [redacted DEPLOY_TOKEN].");
  const pieces = seen.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
  expect(pieces.join("")).toBe("It is [redacted DEPLOY_TOKEN].");
  expect(JSON.stringify(seen)).not.toContain(KEY.slice(0, 9));
});

test("a secret in the pieces of thinking or of a call's input is not shown, escaped or not, and calls are kept apart", async () => {
  const multi = 'two\n"lines"-0';
  const { events } = createSecretRedactor([{ DEPLOY_TOKEN: KEY, MULTI_SECRET: multi }]);
  const stamp = { timestamp: "2026-11-15T00:00:00.000Z", sessionId: "s" };
  const piece = (toolUseId: string, json: string): SkeinEvent => {
    return { ...stamp, type: "tool-input-delta", toolUseId, tool: "Bash", json, raw: { delta: json } };
  };
  const start = (toolUseId: string, input: unknown): SkeinEvent => {
    return { ...stamp, type: "tool-start", toolUseId, tool: "Bash", input };
  };
  async function* turn(): AsyncGenerator<SkeinEvent> {
    for (const text of ["So: ", KEY.slice(0, 9), KEY.slice(9)]) yield { ...stamp, type: "thinking-delta", text };
    yield { ...stamp, type: "thinking", text: `So: ${KEY}` };
    const [one, two] = [{ command: `echo ${KEY}` }, { command: multi }].map((input) => JSON.stringify(input));
    for (const json of one?.match(/.{1,7}/gsu) ?? []) yield piece("1", json);
    yield start("1", JSON.parse(one ?? ""));
    for (const json of two?.match(/.{1,5}/gsu) ?? []) yield piece("2", json);
    yield start("2", JSON.parse(two ?? ""));
    // A call that broke off leaves half a secret, which no other call lets out.
    yield piece("3", `{"command":"${KEY.slice(0, 12)}`);
    yield piece("4", "{}");
    yield start("4", {});
    yield { ...stamp, type: "turn-end", result: SAMPLE_RESULT };
  }
  const seen: SkeinEvent[] = [];
  for await (const event of events(turn())) seen.push(event);
  const inputs = ["1", "2", "3", "4"].map((id) =>
    seen.map((event) => (event.type === "tool-input-delta" && event.toolUseId === id ? event.json : "")).join(""),
  );
  expect(inputs).toEqual([
    '{"command":"echo [redacted DEPLOY_TOKEN]"}',
    '{"command":"[redacted MULTI_SECRET]"}',
    '{"command":"',
    "{}",
  ]);
  const thoughts = seen.map((event) => (event.type === "thinking-delta" ? event.text : "")).join("");
  expect(thoughts).toBe("So: [redacted DEPLOY_TOKEN]");
  expect(JSON.stringify(seen)).not.toMatch(/k3y-of-th|lines/u);
});
