import fc from "fast-check";
import { expect, test } from "vitest";
import { type ApiRequest, normaliseRequest } from "./normalise-request.ts";

/** What two runs of the same prompt do not share. */
interface Run {
  readonly cwd: string;
  readonly sessionId: string;
  readonly toolUseId: string;
  readonly commit: string;
  readonly time: Date;
  readonly durationMs: number;
  readonly cliVersion: string;
}

test("the same conversation in another run is the same request", () => {
  fc.assert(
    fc.property(runs, runs, prompts, (recorded, live, prompt) => {
      expect(normaliseRequest(requestOf(live, prompt)).value).toEqual(
        normaliseRequest(requestOf(recorded, prompt)).value,
      );
    }),
  );
});

test("another prompt is another request", () => {
  fc.assert(
    fc.property(runs, prompts, prompts, (run, prompt, other) => {
      fc.pre(prompt !== other);
      expect(normaliseRequest(requestOf(run, prompt)).value).not.toEqual(normaliseRequest(requestOf(run, other)).value);
    }),
  );
});

test("what is left of a request is what the model is asked", () => {
  const run: Run = {
    cwd: "/srv/app",
    sessionId: "25049d70-4efb-4ba5-ba29-f5e55c95adea",
    toolUseId: "toolu_1",
    commit: "924cc6f",
    time: new Date("2026-11-15T09:00:00Z"),
    durationMs: 148,
    cliVersion: "2.1.325",
  };

  expect(normaliseRequest(requestOf(run, "Fix the bug"))).toEqual({
    value: {
      method: "POST",
      path: "/v1/messages",
      model: "claude-sonnet-4-5",
      system: [{ type: "text", text: "You work in {{cwd}}." }],
      messages: [
        { role: "user", content: [{ type: "text", text: "Fix the bug" }] },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "tool-0001", name: "Read", input: { file_path: "{{cwd}}/a.ts" } },
            { type: "tool_use", id: "tool-0002", name: "Bash", input: { command: "git log" } },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "tool-0001",
              is_error: false,
              content: [{ type: "text", text: "1\tcode" }],
            },
            {
              type: "tool_result",
              tool_use_id: "tool-0002",
              is_error: true,
              content: [
                { type: "text", text: "commit {{hash}}\nDate: {{date}}\nsaw {{uuid}} in {{duration}}, see {{tmp}}" },
              ],
            },
          ],
        },
      ],
      stream: true,
    },
    toolNames: ["Bash", "Read"],
    cwd: "/srv/app",
    volatile: [
      { kind: "cwd", value: "/srv/app" },
      { kind: "cwd", value: "/srv/app" },
      { kind: "hash", value: "924cc6f" },
      { kind: "date", value: "2026-11-15T09:00:00.000Z" },
      { kind: "uuid", value: "25049d70-4efb-4ba5-ba29-f5e55c95adea" },
      { kind: "duration", value: "148ms" },
      { kind: "tmp", value: "/tmp/claude-0/25049d70-4efb-4ba5-ba29-f5e55c95adea/out" },
    ],
  });
});

test.each([
  ["Sun Nov 15 09:06:44 2026 +0000", "{{date}}"],
  ["-rw-r--r-- 1 root root 3 Nov  5 09:06 a.txt", "-rw-r--r-- 1 root root 3 {{date}} a.txt"],
  ["Done on November 15, 2026 at 9:06 AM.", "Done on {{date}} at {{date}}."],
  ["real\t0m1.003s", "real\t{{duration}}"],
  ["# duration_ms 79.113", "# duration_ms {{duration}}"],
  ["agentId: a764ab402ea8b38da", "agentId: {{hash}}"],
  ["listening on http://127.0.0.1:43121/", "listening on http://{{address}}/"],
  ["/home/ann/.claude/projects/-srv-app/memory", "{{home}}/.claude/projects/{{cwd-name}}/memory"],
  ["/srv/app/src /srv/apple /srv/app.", "{{cwd}}/src /srv/apple {{cwd}}."],
  ["src/a.ts:12:34 - error, 1234567 defaced", "src/a.ts:12:34 - error, 1234567 defaced"],
])("a tool's %j is compared as %j", (text, expected) => {
  const content = [{ type: "tool_result", tool_use_id: "toolu_1", content: text }];
  const reminder = { role: "system", content: " - Primary working directory: /srv/app" };
  const { value } = normaliseRequest(messagesRequest([reminder, { role: "user", content }]));

  expect(value["messages"]).toEqual([
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "tool-0001", is_error: false, content: [{ type: "text", text: expected }] },
      ],
    },
  ]);
});

test("reminders do not count, in a text of their own, after a text, or as a message of the system", () => {
  const reminder = "<system-reminder>\nToday's date is 2026-11-15.\n</system-reminder>";
  const plain = messagesRequest([{ role: "user", content: "Hello" }]);
  const reminded = messagesRequest([
    {
      role: "user",
      content: [
        { type: "text", text: reminder },
        { type: "text", text: `Hello\n\n${reminder}` },
      ],
    },
    { role: "system", content: "# Environment" },
  ]);

  expect(normaliseRequest(reminded).value).toEqual(normaliseRequest(plain).value);
});

test("a page of a list is a request of its own, and a beta is not", () => {
  const pathOf = (path: string): unknown => normaliseRequest({ method: "GET", path, body: null }).value["path"];

  expect(pathOf("/v1/models?beta=true")).toBe("/v1/models");
  expect(pathOf("/v1/models?limit=5&after_id=a&beta=true")).toBe("/v1/models?after_id=a&limit=5");
});

const runs: fc.Arbitrary<Run> = fc.record({
  cwd: fc
    .array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 4 })
    .chain((parts) =>
      fc.constantFrom("/srv", "/tmp", "/home/ann", "/Users/bob").map((root) => [root, ...parts].join("/")),
    ),
  sessionId: fc.uuid(),
  toolUseId: fc.stringMatching(/^toolu_[A-Za-z0-9]{24}$/),
  commit: fc.stringMatching(/^[0-9][a-f][0-9a-f]{5,38}$/),
  time: fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true }),
  durationMs: fc.nat(),
  cliVersion: fc.stringMatching(/^2\.\d\.\d{3}$/),
});

const prompts = fc
  .array(fc.constantFrom("add", "a", "test", "for", "5", "seconds", "the", "todo", "é", "\n"), { minLength: 1 })
  .map((words) => `Please ${words.join(" ")} now`);

/** A conversation as the CLI sends it, after two tools that ran side by side. */
function requestOf(run: Run, prompt: string): ApiRequest {
  const reminder = (text: string): object => ({ type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` });
  const [read, bash] = [`${run.toolUseId}r`, `${run.toolUseId}b`];
  const log = `commit ${run.commit}\nDate: ${run.time.toISOString()}\nsaw ${run.sessionId} in ${run.durationMs}ms, see /tmp/claude-0/${run.sessionId}/out`;
  const readResult = { type: "tool_result", tool_use_id: read, content: [{ type: "text", text: "1\tcode" }] };
  const bashResult = {
    tool_use_id: bash,
    type: "tool_result",
    is_error: true,
    content: `${log}\n\n<system-reminder>\n${run.durationMs}\n</system-reminder>`,
  };
  const results = run.durationMs % 2 === 0 ? [readResult, bashResult] : [bashResult, readResult];
  const messages = [
    {
      role: "user",
      content: [
        reminder(`# Environment\n - Primary working directory: ${run.cwd}\n - OS Version: Linux ${run.cliVersion}`),
        reminder(`Today's date is ${run.time.toISOString().slice(0, 10)}. Recent commits:\n${run.commit} first`),
        { type: "text", text: prompt, cache_control: { type: "ephemeral" } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: read, name: "Read", input: { file_path: `${run.cwd}/a.ts` } },
        { type: "tool_use", id: bash, name: "Bash", input: { command: "git log" } },
      ],
    },
    { role: "user", content: results },
  ];
  const system = [
    { type: "text", text: `x-anthropic-billing-header: cc_version=${run.cliVersion};` },
    { type: "text", text: `You work in ${run.cwd}.\n\n<total_tokens>${run.durationMs} tokens left</total_tokens>` },
  ];
  return messagesRequest(messages, { system, metadata: { user_id: run.sessionId }, max_tokens: run.durationMs + 1 });
}

function messagesRequest(messages: readonly object[], rest: object = {}): ApiRequest {
  const tools = [{ name: "Read", description: "Reads" }, { name: "Bash" }];
  const body = { model: "claude-sonnet-4-5", messages, tools, stream: true, ...rest };
  return { method: "POST", path: "/v1/messages?beta=true", body };
}
