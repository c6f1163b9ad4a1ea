import { expect, it } from "vitest";
import type { SessionMessages } from "../../../../src/monitor/api-types.ts";
import { fromSession } from "./from-session.ts";

type Message = SessionMessages["messages"][number];

const message = (about: Partial<Message>): Message => ({
  role: "user",
  kind: "prompt",
  uuid: null,
  at: null,
  model: null,
  scenario: null,
  text: "",
  thinking: "",
  tools: [],
  images: 0,
  pictures: [],
  message_id: null,
  agent_id: null,
  stop_reason: null,
  usage: null,
  is_cut: false,
  ...about,
});

it("shows what people said apart from what Claude Code put around it", () => {
  const entries = fromSession(
    [
      message({ text: "<command-name>/review</command-name><command-args>now</command-args>" }),
      message({ text: "Mend it<system-reminder>be brief</system-reminder>" }),
      message({ kind: "meta", text: "a caveat" }),
      message({ kind: "interrupt", text: "[Request interrupted by user]" }),
    ],
    "0",
  );
  expect(
    entries.map((entry) => (entry.kind === "prompt" ? entry.text : entry.kind === "notice" && entry.words)),
  ).toEqual([
    "/review now",
    "Mend it",
    "system reminder",
    "Told to the model by Claude Code",
    "Interrupted by the person",
  ]);
});

it("has a message's thinking, text, calls and usage in their order, with pictures where they came", () => {
  const call = { tool: "Read", tool_use_id: "t", input: {}, result: "x", is_error: false, duration_ms: 3 };
  const picture = { media_type: "image/png", size_bytes: 9, data_base64: "aGk=" };
  const usage = { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 };
  const entries = fromSession(
    [
      message({
        role: "assistant",
        kind: "answer",
        thinking: "Hm",
        text: "So",
        tools: [{ ...call, pictures: [picture, { ...picture, data_base64: null }] }],
        usage: { ...usage, cost_usd: 0.5, is_final: false },
        is_cut: true,
      }),
    ],
    "0",
  );
  expect(entries.map(({ kind }) => kind)).toEqual(["thinking", "text", "tool", "usage", "notice"]);
  expect(entries[2]).toMatchObject({
    call: {
      output: [
        { type: "text", text: "x" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
        { type: "text", text: "A picture of 9 B: too large to be shown here" },
      ],
    },
  });
  expect(entries[3]).toMatchObject({ costUsd: 0.5, isLowerBound: true });
});

it("gives entries of different pages different keys", () => {
  const keys = ["0", "900"].flatMap((start) => fromSession([message({ text: "a" }), message({ text: "b" })], start));
  expect(new Set(keys.map(({ key }) => key)).size).toBe(4);
});

it("says at every level that a part of a message is missing, and brings the whole of it", () => {
  const cut = message({ text: "the beginning", is_cut: true });
  const asked: unknown[] = [];
  const [, notice] = fromSession([cut], "0", (each) => asked.push(each));
  expect(notice).toMatchObject({ kind: "notice", isMinor: false, action: { label: "Show whole" } });
  if (notice?.kind === "notice") notice.action?.run();
  expect(asked).toEqual([cut]);
});
