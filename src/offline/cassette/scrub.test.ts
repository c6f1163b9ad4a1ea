import { expect, test } from "vitest";
import { keysToScrub, scrubBody, scrubPath } from "./scrub.ts";

const KEYS = ["header-key-0123456789", "query-key-0123456789", "cookie-key-0123456789"] as const;

test("keys are known by the names of headers and of the query, and taken out of paths, texts and the names of fields", () => {
  const path = `/v1/messages?beta=true&api_key=${KEYS[1]}&access-token=short`;
  const headers = {
    "x-goog-api-key": KEYS[0],
    cookie: `session_token=${KEYS[2]}; a=b`,
    "user-agent": "claude-cli-0123456789",
  };
  const keys = keysToScrub(headers, path);
  expect(scrubPath(path, keys)).toBe("/v1/messages?beta=true&api_key={{key}}&access-token={{key}}");
  expect(scrubPath("/v1/messages?beta=true", [])).toBe("/v1/messages?beta=true");
  expect(
    scrubBody({ [KEYS[0]]: [`it is ${KEYS[1]}`, { deep: KEYS[2] }], agent: "claude-cli-0123456789" }, keys),
  ).toEqual({ "{{key}}": ["it is {{key}}", { deep: "{{key}}" }], agent: "claude-cli-0123456789" });
  expect(scrubBody({ metadata: { user_id: "ann", trace: `of ${KEYS[0]}`, tags: [KEYS[1]] } }, keys)).toEqual({
    metadata: { user_id: "{{user}}", trace: "of {{key}}", tags: ["{{key}}"] },
  });
});
