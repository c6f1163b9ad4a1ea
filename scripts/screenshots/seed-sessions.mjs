import { writeFiles } from "./story-engine.mjs";

const MINUTE = 60_000;
const VERSION = "2.1.300";

/** Sessions of Claude Code that Skein did not start, of three projects. */
const SESSIONS = [
  {
    cwd: "/home/ada/shop",
    title: "Why the checkout test is flaky",
    agoMinutes: 38,
    turns: [
      [
        "Why is the checkout test flaky? It fails on every third run",
        "It waits for the **clock** instead of the answer. `setTimeout(50)` is enough on your machine, and not on a busy one.",
        "Grep",
      ],
      ["Mend it, and run it twenty times", "Mended: it awaits the payment. 20 of 20 runs pass.", "Edit"],
      ["Now write a line for the changelog", "- The checkout waits for the payment, not for the clock.", "Edit"],
    ],
  },
  {
    cwd: "/home/ada/shop",
    title: "Prices in yen",
    agoMinutes: 60 * 5,
    turns: [
      [
        "Покажи цены и в иенах, и напиши к этому тест",
        "В `src/price.ts` есть `yen()`, и к ней два теста. Все проходят.",
        "Write",
      ],
    ],
  },
  {
    cwd: "/home/ada/shop",
    agoMinutes: 60 * 26,
    model: "claude-opus-4-1-20250805",
    turns: [
      [
        "Which parts of this repository would you rewrite first, and why?",
        "Three parts, in this order:\n\n1. `src/cart.ts`: sums in two places, rounded differently.\n2. `src/checkout.ts`: waits for the clock.\n3. The build: compiles the tests twice.\n\n> Everything else is small and tested.",
        "Read",
      ],
      ["Start with the first", "Done: one function adds up, and nothing is rounded before the end.", "Edit"],
    ],
  },
  {
    cwd: "/home/ada/blog",
    title: "A blog with an archive by year",
    agoMinutes: 60 * 50,
    model: "claude-opus-4-1-20250805",
    turns: [
      [
        "Set up a blog with an archive by year, tags, and a feed that readers can subscribe to",
        "The blog has all three. `npm start` shows it.",
        "Bash",
      ],
      ["The feed lacks the author", "The feed names the author of each post now.", "Edit"],
    ],
  },
  {
    cwd: "/home/ada/blog",
    agoMinutes: 60 * 74,
    turns: [["اكتب مقدمة قصيرة للمدونة باللغة العربية", "كتبت مقدمة من ثلاث جمل في `content/ar/index.md`.", "Write"]],
  },
  {
    cwd: "/home/ada/thesis",
    title: "Figures for chapter three",
    agoMinutes: 60 * 24 * 9,
    turns: Array.from({ length: 24 }, (_, place) => [
      `Draw figure ${place + 1} again, with the colours of the others`,
      `Figure ${place + 1} has the colours of the others, and its axes say their units.`,
      place % 3 === 0 ? "Bash" : "Edit",
    ]),
  },
];

/** Writes the transcripts of the sessions as Claude Code does; `claude` is its folder, `.claude` of a home. */
export function seedSessions(claude, { nowMs }) {
  for (const [place, session] of SESSIONS.entries()) {
    const { text, name } = transcriptOf(session, { place, nowMs });
    writeFiles({ [name]: text }, claude);
  }
  return SESSIONS.length;
}

function transcriptOf({ cwd, title, turns, agoMinutes, model = "claude-sonnet-4-5-20250929" }, { place, nowMs }) {
  const sessionId = `5e55${String(place).padStart(4, "0")}-0000-4000-8000-00000000000${place}`;
  const startMs = nowMs - (agoMinutes + turns.length * 4) * MINUTE;
  const records = [];
  let [count, parentUuid, atMs] = [0, null, startMs];
  const add = (type, message) => {
    count += 1;
    atMs += 9000;
    const uuid = `${sessionId.slice(0, 8)}-0000-4000-9000-${count.toString(16).padStart(12, "0")}`;
    const timestamp = new Date(atMs).toISOString();
    records.push({
      parentUuid,
      isSidechain: false,
      type,
      uuid,
      timestamp,
      sessionId,
      cwd,
      version: VERSION,
      gitBranch: "main",
      message,
    });
    parentUuid = uuid;
  };
  const say = (content, stop_reason) => {
    const usage = {
      input_tokens: 40,
      output_tokens: JSON.stringify(content).length,
      cache_read_input_tokens: 14_000,
      cache_creation_input_tokens: 900,
    };
    add("assistant", {
      id: `msg_${sessionId.slice(4, 8)}${count}`,
      type: "message",
      role: "assistant",
      model,
      content,
      stop_reason,
      usage,
    });
  };
  for (const [prompt, answer, tool] of turns) {
    atMs += 3 * MINUTE;
    add("user", { role: "user", content: prompt });
    const id = `toolu_${sessionId.slice(4, 8)}${count}`;
    say([{ type: "thinking", thinking: "The smallest change that will do.", signature: "story" }], null);
    say([{ type: "tool_use", id, name: tool, input: inputOf(tool, cwd) }], "tool_use");
    add("user", { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] });
    say([{ type: "text", text: answer }], "end_turn");
  }
  if (title !== undefined) records.push({ type: "ai-title", aiTitle: title, sessionId });
  const folder = cwd.replaceAll(/[^A-Za-z0-9]/gu, "-");
  return {
    name: `projects/${folder}/${sessionId}.jsonl`,
    text: records.map((record) => `${JSON.stringify(record)}\n`).join(""),
  };
}

function inputOf(tool, cwd) {
  if (tool === "Bash") return { command: "npm test", description: "Run the tests" };
  if (tool === "Grep") return { pattern: "setTimeout", path: "src" };
  if (tool === "Read") return { file_path: `${cwd}/src/cart.ts` };
  if (tool === "Write") return { file_path: `${cwd}/src/new.ts`, content: "export {};\n" };
  return { file_path: `${cwd}/src/checkout.ts`, old_string: "await wait(50);", new_string: "await payment;" };
}
