import { answer, linesOf, prompt, toolResult, type WrittenPlace, type WrittenRecord } from "./write-history.ts";

/** Transcripts as versions of the CLI wrote them, with what is special in each, and words that nobody said. */
export function sampleTranscripts(): Readonly<Record<string, string>> {
  return {
    "v1.0.29-summaries": linesOf(summaries()),
    "v1.0.51-compaction-without-boundary": linesOf(compactionWithoutBoundary()),
    "v1.0.55-fork": linesOf(fork()),
    "v1.0.56-continued": linesOf(continued()),
    "v1.0.61-inline-sidechain": linesOf(inlineSidechain()),
    "v2.0.76-lost-parent": linesOf(lostParent()),
    "v2.1.29-agent-progress": linesOf(agentProgress()),
    "v2.1.220-new-records": linesOf(newRecords()),
    // Two records on a line, half of one before a whole one, and no line feed at the end.
    "v2.1.1-torn": torn(),
  };
}

/** A record that hangs from another. */
function under(parentUuid: string | null, record: WrittenRecord): WrittenRecord {
  return { parentUuid, ...record };
}

function at(sessionId: string, minute: number): WrittenPlace {
  return { sessionId, timestamp: new Date(Date.UTC(2026, 5, 1, 12, minute)).toISOString() };
}

function summaries(): readonly WrittenRecord[] {
  const s = "5a000001-0000-4000-8000-000000000001";
  return [
    { type: "summary", summary: "Another session altogether", leafUuid: "in-no-record" },
    { type: "summary", summary: "The parser of dates", leafUuid: "sum-a2" },
    under(null, prompt("sum-p1", "Read the dates of the log", at(s, 0))),
    under("sum-p1", answer("sum-a1", "I look.", { ...at(s, 1), id: "sum-m1", output: 1, isFinal: false })),
    under(
      "sum-a1",
      answer("sum-a2", "", { ...at(s, 1), id: "sum-m1", output: 40, call: { id: "sum-t1", name: "Read" } }),
    ),
    under("sum-a2", toolResult("sum-r1", "2026-06-01 ready", { ...at(s, 2), callId: "sum-t1" })),
    under("sum-r1", answer("sum-a3", "They are in UTC.", { ...at(s, 3), id: "sum-m2", output: 12 })),
  ];
}

/** The summary is a root of its own: nothing but its place in the file says what it came after. */
function compactionWithoutBoundary(): readonly WrittenRecord[] {
  const s = "5a000002-0000-4000-8000-000000000002";
  const summary = {
    ...prompt("cwb-s", "This session is being continued from before.", at(s, 4)),
    isCompactSummary: true,
  };
  return [
    under(null, prompt("cwb-p1", "Draw the map", at(s, 0))),
    under("cwb-p1", answer("cwb-a1", "Drawn.", at(s, 1))),
    under("cwb-a1", prompt("cwb-p2", "Now the legend", at(s, 2))),
    under("cwb-p2", answer("cwb-a2", "The legend is there.", at(s, 3))),
    under(null, summary),
    under("cwb-s", prompt("cwb-p3", "And the scale", at(s, 5))),
    under("cwb-p3", answer("cwb-a3", "One to ten thousand.", at(s, 6))),
  ];
}

function fork(): readonly WrittenRecord[] {
  const s = "5a000003-0000-4000-8000-000000000003";
  const command = "<command-name>/cost</command-name><command-message>cost</command-message>";
  return [
    under(null, prompt("frk-p1", "Name three trees", at(s, 0))),
    under("frk-p1", answer("frk-a1", "Oak, ash, elm.", at(s, 1))),
    under("frk-a1", prompt("frk-p2", "Only conifers", at(s, 2))),
    under("frk-p2", answer("frk-a2", "Pine, fir, larch.", at(s, 3))),
    under("frk-a1", prompt("frk-p3", "Only fruit trees", at(s, 4))),
    under("frk-p3", answer("frk-a3", "Apple, pear, plum.", at(s, 5))),
    // A local command at the end: it has no parent, and is not where the conversation stands.
    under(null, prompt("frk-c1", command, at(s, 6))),
    under("frk-c1", prompt("frk-c2", "<local-command-stdout>Total cost: $0.01</local-command-stdout>", at(s, 6))),
  ];
}

function continued(): readonly WrittenRecord[] {
  const [old, own] = ["5a000004-0000-4000-8000-000000000040", "5a000004-0000-4000-8000-000000000004"];
  return [
    under(null, prompt("con-p1", "List the files", at(old, 0))),
    under("con-p1", answer("con-a1", "", { ...at(old, 1), id: "con-m1", call: { id: "con-t1", name: "LS" } })),
    under("con-a1", {
      ...toolResult("con-r1", "Error: no such folder", { ...at(old, 2), callId: "con-t1", isError: true }),
      toolUseResult: "Error: no such folder",
    }),
    under(
      "con-r1",
      prompt("con-p2", "<ide_opened_file>The user opened the file a.ts in the IDE.</ide_opened_file>", at(own, 30)),
    ),
    under("con-p2", prompt("con-p3", "Try the folder above", at(own, 30))),
    under("con-p3", answer("con-a2", "There are two.", { ...at(own, 31), output: 9 })),
  ];
}

function inlineSidechain(): readonly WrittenRecord[] {
  const s = "5a000005-0000-4000-8000-000000000005";
  const side = (minute: number) => ({ ...at(s, minute), isSidechain: true });
  return [
    under(null, prompt("inl-p1", "Have it counted", at(s, 0))),
    under(
      "inl-p1",
      answer("inl-a1", "", { ...at(s, 1), call: { id: "inl-t1", name: "Task", input: { prompt: "Count the lines" } } }),
    ),
    under(null, prompt("inl-s1", "Count the lines", side(2))),
    under("inl-s1", answer("inl-s2", "Forty-two.", { ...side(3), model: "claude-opus-4-1", output: 30 })),
    under("inl-a1", toolResult("inl-r1", "Forty-two.", { ...at(s, 4), callId: "inl-t1" })),
    under("inl-r1", answer("inl-a2", "There are 42 lines.", at(s, 5))),
  ];
}

/** A boundary whose parent was in a file that is gone. */
function lostParent(): readonly WrittenRecord[] {
  const s = "5a000006-0000-4000-8000-000000000006";
  const boundary = {
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    logicalParentUuid: "in-a-file-that-is-gone",
    uuid: "lop-b",
    sessionId: s,
    timestamp: at(s, 2).timestamp,
    compactMetadata: { trigger: "auto", preTokens: 150_000 },
  };
  return [
    under("cut-off-head", prompt("lop-p1", "Measure the river", at(s, 0))),
    under("lop-p1", answer("lop-a1", "It is 300 km long.", at(s, 1))),
    under(null, boundary),
    under("lop-b", { ...prompt("lop-s", "So far the river was measured.", at(s, 3)), isCompactSummary: true }),
    under("lop-s", answer("lop-a2", "And now the lake.", at(s, 4))),
  ];
}

/** A sub-agent of which nothing is known but what progress records say. */
function agentProgress(): readonly WrittenRecord[] {
  const s = "5a000007-0000-4000-8000-000000000007";
  const told = (uuid: string, minute: number, message: WrittenRecord): WrittenRecord => {
    const { sessionId: _session, cwd: _cwd, version: _version, isSidechain: _side, ...inner } = message;
    const data = { message: inner, type: "agent_progress", prompt: "Weigh it", agentId: "a7f3c21" };
    const { sessionId, timestamp } = at(s, minute);
    return {
      parentUuid: "agp-a1",
      type: "progress",
      data,
      toolUseID: "agent_msg_1",
      parentToolUseID: "agp-t1",
      uuid,
      sessionId,
      timestamp,
      cwd: "/work/app",
    };
  };
  const inner = { ...at(s, 3), id: "agp-m9", output: 77 };
  return [
    under(null, prompt("agp-p1", "Have the parcel weighed", at(s, 0))),
    under(
      "agp-p1",
      answer("agp-a1", "", { ...at(s, 1), call: { id: "agp-t1", name: "Task", input: { prompt: "Weigh it" } } }),
    ),
    told("agp-g1", 2, prompt("agp-i1", "Weigh it", at(s, 2))),
    told("agp-g2", 3, answer("agp-i2", "A kilogramme of feathers.", { ...inner, output: 3, isFinal: false })),
    told(
      "agp-g3",
      4,
      answer("agp-i3", "", { ...inner, call: { id: "agp-t9", name: "Grep", input: { pattern: "gramme" } } }),
    ),
    told("agp-g4", 5, toolResult("agp-i4", "scales.txt: 1000", { ...at(s, 5), callId: "agp-t9" })),
    under("agp-a1", toolResult("agp-r1", "It weighs 1 kg.", { ...at(s, 6), callId: "agp-t1" })),
    under("agp-r1", answer("agp-a2", "One kilogramme.", at(s, 7))),
  ];
}

function newRecords(): readonly WrittenRecord[] {
  const s = "5a000008-0000-4000-8000-000000000008";
  const advisor = { type: "advisor_message", model: "claude-opus-5-5", input_tokens: 10, output_tokens: 5 };
  const advised = answer("new-a1", "早く直してください。", { ...at(s, 2), output: 21 });
  const message = advised["message"] as { readonly usage: object };
  return [
    { type: "mode", mode: "normal", sessionId: s },
    { type: "permission-mode", permissionMode: "default", sessionId: s },
    under(null, { type: "attachment", attachment: { type: "skill_listing" }, uuid: "new-x1", ...at(s, 0) }),
    under("new-x1", prompt("new-p1", "東京の天気を調べて、中文搜索也要能找到 한국어도", at(s, 1))),
    under("new-p1", { ...advised, message: { ...message, usage: { ...message.usage, iterations: [advisor] } } }),
    { type: "ai-title", aiTitle: "The weather in three languages", sessionId: s },
    { type: "last-prompt", lastPrompt: "…", leafUuid: "new-a1", sessionId: s },
    { type: "from-the-future", sessionId: s, fields: [1, { two: null }] },
  ];
}

function torn(): string {
  const s = "5a000009-0000-4000-8000-000000000009";
  const [first, second, third, fourth] = [
    under(null, prompt("trn-p1", "Mend the wall", at(s, 0))),
    under("trn-p1", answer("trn-a1", "It stands again.", { ...at(s, 1), output: 5 })),
    under("trn-a1", prompt("trn-p2", "Paint it", at(s, 2))),
    under("trn-p2", answer("trn-a2", "It is white.", { ...at(s, 3), output: 6 })),
  ].map((record) => JSON.stringify(record)) as [string, string, string, string];
  return `${first}${second}\n${third.slice(0, 60)}${third}\n${fourth}`;
}
