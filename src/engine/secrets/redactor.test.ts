import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SkeinEvent, type TurnResult } from "../../core/index.ts";
import { defined } from "../../core/internal.ts";
import { createFakeEngine } from "../../testing/index.ts";
import { collect } from "../../testing/internal.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { createEngine, type Engine } from "../engine.ts";
import { createRedactor, type RedactorOptions } from "./redactor.ts";
import type { PluginTurn } from "../plugins/skein-plugin.ts";
import { withPlugins } from "../plugins/with-plugins.ts";

const SECRET = `sk-ant-api03-${"aB3dE6gH9".repeat(8)}`;
const MARK = "[redacted anthropic-key]";
const timestamp = "2026-11-15T06:00:00.000Z";
const turn: PluginTurn = { id: "turn", prompt: claudePrompt({ text: "a" }), options: {}, attempt: 1 };

/** An engine that plays these events between a start and an end. */
function playing(events: readonly SkeinEvent[]): Engine {
  const fake = createFakeEngine(() => "done");
  async function* stream(...args: Parameters<Engine["stream"]>): ReturnType<Engine["stream"]> {
    const inner = fake.stream(...args);
    for (;;) {
      const { done, value } = await inner.next();
      if (done) return value;
      yield value;
      if (value.type === "turn-start") yield* events;
    }
  }
  return createEngine(stream);
}

async function redacted(
  events: readonly SkeinEvent[],
  options: RedactorOptions = { env: {} },
): Promise<readonly SkeinEvent[]> {
  const all = await collect(withPlugins(playing(events), [createRedactor(options)]), claudePrompt({ text: "go" }));
  return all.events.slice(1, -2);
}

describe("the redactor in prompts", () => {
  it("takes secrets out of the text, the attachments and what else the model reads, and leaves what the CLI needs", async () => {
    const redactor = createRedactor({ env: {} });
    const options = {
      systemPrompt: `Use ${SECRET}.`,
      agents: { helper: { description: SECRET, prompt: `With ${SECRET}`, model: "haiku" as const } },
      env: { SERVICE_KEY: SECRET },
    };
    const prompt = claudePrompt({
      text: `Call it with ${SECRET}, please.`,
      attachments: [
        { type: "text", name: "notes.txt", text: `key=${SECRET}\n` },
        { type: "pdf", name: `${SECRET}.pdf`, data: "JVBERi0=" },
      ],
    });
    expect(await redactor.beforeQuery?.({ ...turn, prompt, options })).toEqual({
      prompt: claudePrompt({
        text: `Call it with ${MARK}, please.`,
        attachments: [
          { type: "text", name: "notes.txt", text: `key=${MARK}\n` },
          { type: "pdf", name: `${MARK}.pdf`, data: "JVBERi0=" },
        ],
      }),
      options: {
        systemPrompt: `Use ${MARK}.`,
        agents: { helper: { description: MARK, prompt: `With ${MARK}`, model: "haiku" } },
      },
    });
    expect(redactor.metrics?.()).toEqual({ "prompt.anthropic-key": 6 });
  });

  it("takes out the values of named variables, and of the CLI's own credentials", async () => {
    const env = {
      DB_PASSWORD: "hunter2-hunter2",
      ANTHROPIC_API_KEY: "no-usual-key",
      SHORT: "abc",
      OTHER: "visible-value",
    };
    const redactor = createRedactor({ names: ["DB_PASSWORD", "SHORT", "MISSING"], env });
    const prompt = claudePrompt({ text: "hunter2-hunter2 no-usual-key abc visible-value from-the-turn" });
    const options = { env: { DB_PASSWORD: "from-the-turn" } };
    expect(await redactor.beforeQuery?.({ ...turn, prompt, options })).toMatchObject({
      prompt: { text: "[redacted DB_PASSWORD] [redacted ANTHROPIC_API_KEY] abc visible-value [redacted DB_PASSWORD]" },
    });
  });

  it("takes patterns of the caller beside its own", async () => {
    const redactor = createRedactor({ env: {}, patterns: [{ name: "badge", pattern: /\bB-\d{6}\b/gi }] });
    const prompt = claudePrompt({ text: `b-123456 and B-12 and ${SECRET}` });
    expect(await redactor.beforeQuery?.({ ...turn, prompt })).toMatchObject({
      prompt: { text: `[redacted badge] and B-12 and ${MARK}` },
    });
  });
});

describe("the redactor in events", () => {
  it("takes a secret out of any place of any event, the raw message and the names of fields too", async () => {
    const data = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string().map((text) => `${text} ${SECRET} ${text}`),
        fc.integer(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", `c ${SECRET}`), tie("value"), { maxKeys: 3 }),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(data, data, async (one, two) => {
        const call = { timestamp, toolUseId: "t", tool: "Bash", raw: two };
        const shown = await redacted([
          { ...call, type: "tool-start", input: one },
          { ...call, type: "tool-end", output: one, isError: false, isDenied: false, durationMs: 1 },
          { type: "thinking", timestamp, text: SECRET, raw: one },
          { type: "status", timestamp, status: "task", detail: SECRET },
          { type: "custom", timestamp, name: "mine", data: one },
          { type: "unknown", timestamp, raw: one },
        ]);
        expect(shown.map(({ type }) => type)).toEqual([
          "tool-start",
          "tool-end",
          "thinking",
          "status",
          "custom",
          "unknown",
        ]);
        expect(JSON.stringify(shown)).not.toContain("sk-ant-");
      }),
      { numRuns: 50 },
    );
  });

  it("takes secrets out of the result, a failed one too", async () => {
    const engine = createFakeEngine(() => `Your key is ${SECRET}.`);
    const { events, result } = await collect(
      withPlugins(engine, [createRedactor({ env: {} })]),
      claudePrompt({ text: "a" }),
    );
    expect(result.text).toBe(`Your key is ${MARK}.`);
    expect(JSON.stringify(events)).not.toContain("sk-ant-");

    const failed: TurnResult = {
      ...result,
      isError: true,
      error: { name: "ProcessError", kind: "process", message: SECRET, retryable: false, stderrTail: `> ${SECRET}` },
      structuredOutput: { key: [SECRET] },
      permissionDenials: [{ tool: "Bash", toolUseId: "t", input: { command: `echo ${SECRET}` } }],
    };
    const end: SkeinEvent = { type: "turn-end", timestamp, result: failed };
    expect(await createRedactor({ env: {} }).onMessage?.(end, turn)).toEqual({
      ...end,
      result: {
        ...failed,
        error: { ...failed.error, message: MARK, stderrTail: `> ${MARK}` },
        structuredOutput: { key: [MARK] },
        permissionDenials: [{ tool: "Bash", toolUseId: "t", input: { command: `echo ${MARK}` } }],
      },
    });
  });

  it("keeps what ties events together, even where a secret looks like it", async () => {
    const env = { PASSWORD: "tool-start" };
    const event: SkeinEvent = { type: "tool-start", timestamp, toolUseId: "t", tool: "Bash", input: "tool-start" };
    expect(await redacted([event], { env, names: ["PASSWORD"] })).toEqual([{ ...event, input: "[redacted PASSWORD]" }]);
  });

  it("lets nothing through that is too deep to be looked at, or goes round in a circle", async () => {
    const circle: Record<string, unknown> = { secret: SECRET };
    circle["again"] = circle;
    const [event] = await redacted([{ type: "unknown", timestamp, raw: circle }]);
    expect(JSON.stringify(event)).not.toContain("sk-ant-");
  });
});

describe("the redactor in text as it is written", () => {
  const delta = (text: string, parentToolUseId?: string): SkeinEvent => ({
    type: "text-delta",
    timestamp,
    text,
    ...defined({ parentToolUseId }),
    raw: { event: { delta: { text } } },
  });
  const deltasOf = (events: readonly SkeinEvent[]): readonly string[] =>
    events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));

  it("shows no part of a secret that is split over pieces, in the raw message neither", async () => {
    const written = `The key ${SECRET} is yours.`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: written.length }), { maxLength: 12 }), async (places) => {
        const cuts = [0, ...places.toSorted((a, b) => a - b), written.length];
        const pieces = cuts.slice(1).map((end, index) => written.slice(cuts[index], end));
        const shown = await redacted([
          ...pieces.map((piece) => delta(piece)),
          { type: "text", timestamp, text: written },
        ]);
        expect(deltasOf(shown).join("")).toBe(`The key ${MARK} is yours.`);
        expect(shown.at(-1)).toEqual({ type: "text", timestamp, text: `The key ${MARK} is yours.` });
        const raw = shown.map((event) => event.raw as { event: { delta: { text: string } } } | undefined);
        const piecesInRaw = raw.flatMap((message) => message?.event.delta.text ?? []);
        expect(piecesInRaw.filter((piece) => !deltasOf(shown).includes(piece))).toEqual([]);
      }),
    );
  });

  it("hands ordinary pieces on at once, with their raw messages", async () => {
    const events = [delta("Hello, "), delta("wor"), delta("ld.")];
    expect(await redacted(events)).toEqual(events);
  });

  it("keeps the texts of sub-agents apart", async () => {
    const [head, tail] = [SECRET.slice(0, 20), SECRET.slice(20)];
    const shown = await redacted([
      delta(`main ${head}`),
      delta("helper sk-", "t1"),
      delta(`${tail} main`),
      delta("ip it. ", "t1"),
      { type: "text", timestamp, text: "helper sk-ip it. ", parentToolUseId: "t1" },
      { type: "text", timestamp, text: `main ${SECRET} main` },
    ]);
    expect(deltasOf(shown)).toEqual(["main ", "helper ", `${MARK} main`, "sk-ip it. "]);
  });

  it("does not show the half of a secret that a broken turn leaves behind", async () => {
    const shown = await redacted([delta(`The key ${SECRET.slice(0, 20)}`)]);
    expect(deltasOf(shown)).toEqual(["The key "]);
  });

  it("begins anew where a request is sent again", async () => {
    const retry: SkeinEvent = { type: "status", timestamp, status: "api_retry" };
    const shown = await redacted([delta("Half sk-ant-"), retry, delta("Hello.")]);
    expect(deltasOf(shown)).toEqual(["Half ", "Hello."]);
  });

  it("begins anew where a turn is run again", async () => {
    const start = {
      type: "turn-start",
      timestamp,
      model: "m",
      cwd: "/",
      tools: [],
      permissionMode: "default",
    } as const;
    const shown = await redacted([delta("Half sk-ant-"), start, delta("Hello.")]);
    expect(deltasOf(shown)).toEqual(["Half ", "Hello."]);
  });
});
