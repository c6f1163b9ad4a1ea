import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { load, usageOf } from "../transcript/index.ts";
import { allSamples } from "../../test/support/transcript-samples.ts";
import { plainText, describeTerminal, type Terminal } from "../terminal/index.ts";
import { toUsageData } from "./session-data.ts";
import { sourceOfTranscripts } from "./page-source.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { renderPage } from "./render-page.ts";
import { renderText } from "./render-text.ts";
import { toSessionPage, type SessionPage } from "./session-page.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const usage = { input_tokens: 1000, output_tokens: 2000, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };

type Json = Readonly<Record<string, unknown>>;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "skein-page-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

let minute = 0;
function record(
  type: "user" | "assistant",
  uuid: string,
  parent: string | null,
  content: unknown,
  more: Json = {},
): Json {
  minute += 1;
  const timestamp = new Date(Date.UTC(2026, 10, 15, 6, minute)).toISOString();
  const answer = {
    role: "assistant",
    model: "claude-opus-4-5-20251101",
    id: `m-${uuid}`,
    stop_reason: "end_turn",
    usage,
    content,
  };
  return {
    type,
    uuid,
    parentUuid: parent,
    sessionId: ID,
    cwd: "/w",
    version: "2.1.325",
    timestamp,
    isSidechain: false,
    message: type === "user" ? { role: "user", content } : answer,
    ...more,
  };
}

const result = (id: string, content: unknown, more: Json = {}): readonly Json[] => [
  { type: "tool_result", tool_use_id: id, content, ...more },
];
const call = (id: string, name: string, input: Json): Json => ({ type: "tool_use", id, name, input });

/** A session with one of everything, in which every text that a person or a model may choose is made by `say`. */
function everything(say: (text: string) => string): readonly Json[] {
  minute = 0;
  const patch = [
    {
      oldStart: 3,
      newStart: 3,
      oldLines: 2,
      newLines: 2,
      lines: [` ${say("kept")}`, `-${say("old")}`, `+${say("new")}`],
    },
  ];
  return [
    record("user", "u1", null, [
      { type: "text", text: `${say("Fix the **basket**")}\n<system-reminder>${say("be good")}</system-reminder>` },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      { type: "image", source: { type: "url", url: say("https://evil.test/pixel.png") } },
      { type: "image", source: { type: "base64", media_type: "image/svg+xml", data: PIXEL } },
    ]),
    record("assistant", "a1", "u1", [
      { type: "thinking", thinking: say("It is the clock") },
      { type: "text", text: say("I look at it.") },
      call("t1", "Bash", { command: say("npm test"), description: say("Runs the tests"), timeout: 5 }),
      call("t2", "Edit", { file_path: say("/w/a.ts"), old_string: say("old"), new_string: say("new") }),
      call("t3", "Write", { file_path: say("/w/b.ts"), content: `${say("one")}\n${say("two")}\n` }),
      call("t4", "Agent", { prompt: say("Look *deep*"), description: say("deep look"), subagent_type: say("Explore") }),
      call("t5", "mcp__x__y", { [say("key")]: say("value"), list: [say("a")] }),
      call("t6", "TodoWrite", { todos: [{ content: say("do it"), status: say("in_progress") }] }),
      { type: "server_tool_use", id: "s1", name: say("web"), input: {} },
    ]),
    record("user", "r1", "a1", result("t1", `${say("1 failing")}\n${say("more")}`, { is_error: true })),
    record("user", "r2", "a1", result("t2", say("The file was updated")), {
      toolUseResult: { structuredPatch: patch },
    }),
    record("user", "r3", "a1", result("t3", say("No space"), { is_error: true })),
    record("user", "r4", "a1", result("t4", say("It is **deep**"))),
    record(
      "user",
      "r5",
      "a1",
      result("t5", [
        { type: "text", text: say("shown") },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
      ]),
    ),
    record(
      "user",
      "c1",
      "r5",
      `<command-name>${say("/review")}</command-name><command-args>${say("fast")}</command-args>`,
    ),
    record("user", "c2", "c1", `<local-command-stdout>${say("reviewed")}</local-command-stdout>`),
    record("user", "m1", "c2", say("Caveat: not for you"), { isMeta: true }),
    record("user", "i1", "m1", "[Request interrupted by user]"),
    record("user", "s1", "i1", say("What came before"), { isCompactSummary: true }),
    record("assistant", "e1", "s1", [{ type: "text", text: say("Overloaded") }], { isApiErrorMessage: true }),
    record("user", "w1", "e1", say("Try the first way")),
    record("assistant", "w2", "w1", [{ type: "text", text: say("I tried") }]),
    record("user", "w3", "e1", say("Try the second way")),
    record("assistant", "w4", "w3", [{ type: "text", text: say("Done") }]),
    { type: "custom-title", sessionId: ID, customTitle: say("The basket") },
  ];
}

async function write(path: string, records: readonly Json[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, records.map((each) => `${JSON.stringify(each)}\n`).join(""));
}

async function pageOf(say: (text: string) => string = String): Promise<SessionPage> {
  const path = join(folder, `${ID}.jsonl`);
  await write(path, everything(say));
  const side = { isSidechain: true, agentId: "deep1" };
  const agent = join(folder, ID, "subagents");
  await write(join(agent, "agent-deep1.jsonl"), [
    record("user", "d1", null, say("Look *deep*"), side),
    record(
      "assistant",
      "d2",
      "d1",
      [
        { type: "text", text: say("Deeper") },
        call("t9", "Agent", { prompt: say("Deepest"), description: say("deepest look") }),
      ],
      side,
    ),
  ]);
  await writeFile(
    join(agent, "agent-deep1.meta.json"),
    JSON.stringify({ agentType: say("Explore"), description: say("deep look"), toolUseId: "t4" }),
  );
  await write(join(agent, "agent-deep2.jsonl"), [
    record("user", "e01", null, say("Deepest"), { ...side, agentId: "deep2" }),
    record("assistant", "e02", "e01", [{ type: "text", text: say("The bottom") }], { ...side, agentId: "deep2" }),
  ]);
  await writeFile(join(agent, "agent-deep2.meta.json"), JSON.stringify({ toolUseId: "t9" }));
  const transcript = await load(path);
  const head = {
    session_id: ID,
    title: transcript.title ?? null,
    first_prompt: null,
    project: "/w",
    started_at: "2026-11-15T06:01:00.000Z",
    models: [say("claude-opus-4-5-20251101")],
    usage: toUsageData(usageOf(transcript).total),
  };
  return toSessionPage(head, sourceOfTranscripts([transcript]));
}

/** Every tag of a page with the names of its attributes: what it is built of, whatever is said in it. */
function tagsOf(html: string): readonly string[] {
  const body = html.slice(html.indexOf("<body>"));
  return [...body.matchAll(/<[^>]*>/gu)].map(([tag]) => tag.replaceAll(/="[^"]*"/gu, ""));
}

describe("the page of a session", () => {
  it("has a card for each turn with its own cost, and contents that lead to them", async () => {
    const page = await pageOf();
    expect(page.turns.map(({ number, usage: own, failures, mark }) => [number, own.messages, failures, mark])).toEqual([
      [1, 3, 2, undefined],
      [2, 1, 0, undefined],
      [3, 1, 0, "rewound"],
      [4, 1, 0, undefined],
    ]);
    const sum = page.turns.reduce((all, { usage: own }) => all + own.costUsd, 0);
    expect(sum).toBeCloseTo(page.head.usage.cost_usd, 9);
    const html = renderPage(page);
    expect(
      [...html.matchAll(/href="#(turn-\d+)"/gu)].map(([, id]) => id).every((id) => html.includes(`id="${id}"`)),
    ).toBe(true);
    expect(html.match(/<section class="turn/gu)).toHaveLength(4);
    expect(html).toContain("↶ rewound: not part of the current conversation");
    expect(html).toContain("✗ 2 failed calls");
  });

  it("shows Markdown, commands, changes, pictures and sub-agents each in its own way", async () => {
    const html = renderPage(await pageOf());
    expect(html).toContain("Fix the <strong>basket</strong>");
    expect(html).toContain('<pre class="command" tabindex="0">npm test</pre>');
    expect(html).toContain('<pre class="output" tabindex="0">1 failing\nmore</pre>');
    expect(html).toContain(
      '<span class="place">@@ -3 +3 @@</span><span class="same"> kept</span><span class="removed">-old</span><span class="added">+new</span>',
    );
    expect(html).toContain('<span class="added">+one</span><span class="added">+two</span></pre>');
    expect(html.match(/<img src="data:image\/png;base64,[A-Za-z0-9+/=]+"/gu)).toHaveLength(2);
    expect(html).toContain("Image (of an unknown kind) at https://evil.test/pixel.png");
    expect(html).toContain("Image (image/svg+xml, ");
    expect(html).toMatch(
      /<details class="step agent"><summary>.*Sub-agent Explore: deep look[\s\S]*<details class="step agent"><summary>.*deepest look[\s\S]*The bottom/u,
    );
    expect(html).toContain('<details class="fold"><summary><span class="quiet">system reminder</span></summary>');
    expect(html).toContain("API error");
    expect(html).toContain("Request interrupted by user");
    expect(html).toContain('<pre class="command" tabindex="0">/review fast</pre>');
  });

  it("is built of the same tags whatever is said in it, and runs and loads nothing", async () => {
    const evil =
      "\"'><script>alert(1)</script><img src=x onerror=alert(1)><a href=javascript:x>\u001b[2J\u202e&lt;b&gt;";
    const plain = tagsOf(renderPage(await pageOf((text) => `${text}e`)));
    const html = renderPage(await pageOf((text) => `${text}e${evil}`));
    expect(tagsOf(html)).toEqual(plain);
    expect(html).not.toMatch(
      /<script|<[^>]*src=(?!"data:)|<[^>]*javascript:|\[2J(?!&amp;lt;b&amp;gt;&quot;)|(?![\n\t])\p{Cc}|\u202e|@import|url\(/u,
    );
    const [, policy] = /Content-Security-Policy" content="([^"]*)"/u.exec(html) ?? [];
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'$/u,
    );
  });

  it("ends where sub-agents have started each other", async () => {
    const page = await pageOf();
    const [deep] = page.subagents.get("t4") ?? [];
    const ring = toSessionPage(page.head, {
      messages: [],
      marks: new Map(),
      counted: [],
      subagents: [{ ...deep!, parentToolUseId: "t9" }],
    });
    expect(ring.strays).toHaveLength(1);
    for (const text of [renderPage(ring), renderMarkdown(ring), renderText(ring, { terminal: terminal() })])
      expect(text).toContain("Deeper");
  });

  it("tells of an input that is nested deeper than the stack", async () => {
    const { head } = await pageOf();
    const path = join(folder, `${ID}.jsonl`);
    const line = JSON.stringify(record("assistant", "a1", null, [call("t1", "X", { deep: 0 })]));
    await writeFile(path, `${line.replace('"deep":0', `"deep":${"[".repeat(20_000)}${"]".repeat(20_000)}`)}\n`);
    const page = toSessionPage(head, sourceOfTranscripts([await load(path)]));
    expect(renderPage(page)).toContain("nested too deeply");
  });
});

function terminal(): Terminal {
  return describeTerminal({ stdin: {}, stdout: {}, env: {} });
}

describe.each([
  ["text", (page: SessionPage) => renderText(page, { terminal: terminal() })],
  ["Markdown", renderMarkdown],
])("the session as %s", (_, render) => {
  it("leaves out nothing of what was said, thought, given and got", async () => {
    const text = render(await pageOf());
    for (const said of [
      "Fix the **basket**",
      "be good",
      "It is the clock",
      "I look at it.",
      "npm test",
      "1 failing\n",
      "timeout: 5",
      "-old",
      "+new",
      "+two",
      "Look *deep*",
      "Sub-agent Explore: deep look",
      "The bottom",
      "No space",
      "value",
      "shown",
      "/review fast",
      "reviewed",
      "Caveat: not for you",
      "What came before",
      "Overloaded",
      "Try the first way",
      "rewound",
      "Done",
      "Image (image/png",
    ]) {
      expect([said, text.includes(said)]).toEqual([said, true]);
    }
  });
});

describe.each(allSamples())("$name", ({ name, bytes }) => {
  it("is whole in Markdown, and a page whose tags all close", async () => {
    const path = join(folder, name.endsWith(".jsonl") ? name : `${name}.jsonl`);
    await writeFile(path, bytes);
    const transcript = await load(path);
    const page = toSessionPage((await pageOf()).head, sourceOfTranscripts([transcript]));
    const markdown = renderMarkdown(page).replaceAll(/^(?:> ?)+/gmu, "");
    const all = [...transcript.messages, ...transcript.subagents.flatMap(({ messages }) => messages)];
    const results = all.flatMap(({ toolUses }) => toolUses.flatMap(({ result: given }) => given?.text ?? []));
    const said = [...all.map(({ thinking }) => thinking), ...results].map(
      (text) => plainText(text).trim().split("\n", 1)[0] ?? "",
    );
    expect(said.filter((line) => !markdown.includes(line.trimEnd()))).toEqual([]);
    const html = renderPage(page);
    for (const tag of ["details", "section", "div", "pre", "span", "code", "li", "table"]) {
      const [opened, closed] = [html.split(`<${tag}`).length, html.split(`</${tag}>`).length];
      expect([tag, opened]).toEqual([tag, closed]);
    }
    expect(html.split('id="turn-')).toHaveLength(page.turns.length + 1);
  });
});
