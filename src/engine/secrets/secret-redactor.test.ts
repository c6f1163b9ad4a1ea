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
