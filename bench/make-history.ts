import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

/** A generated history. */
export interface History {
  /** The folder of the projects' folders. */
  readonly base: string;
  readonly paths: readonly string[];
  /** Words of the texts, the most frequent first. */
  readonly vocabulary: readonly string[];
}

/** Numbers that look random and are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** Writes a history of some size in files of different lengths; of every hundred files one has a line of 5 MB. */
export function makeHistory(base: string, files: number, bytes: number): History {
  const random = createRandom(7);
  const vocabulary = createVocabulary(random);
  const words = createWords(random, vocabulary);
  const shares = Array.from({ length: files }, () => 0.1 + random() ** 3 * 3);
  const whole = shares.reduce((sum, share) => sum + share, 0);
  const paths = shares.map((share, index) => {
    const path = join(base, `-work-project-${index % 20}`, `${uuid(random)}.jsonl`);
    const size = Math.floor((share / whole) * bytes);
    writeSession({ path, size, random, words, cwd: `/work/project/${index % 20}`, hasHuge: index % 100 === 50 });
    return path;
  });
  return { base, paths, vocabulary };
}

/** One session of some size. */
export function makeSession(base: string, bytes: number): { readonly path: string; readonly sessionId: string } {
  const random = createRandom(11);
  const sessionId = uuid(random);
  const words = createWords(random, createVocabulary(random));
  const path = join(base, "-work-large", `${sessionId}.jsonl`);
  writeSession({ path, size: bytes, random, words, cwd: "/work/large", hasHuge: false });
  return { path, sessionId };
}

interface SessionShape {
  readonly path: string;
  readonly size: number;
  readonly random: () => number;
  readonly words: (length: number) => string;
  readonly cwd: string;
  readonly hasHuge: boolean;
}

function writeSession({ path, size, random, words, cwd, hasHuge }: SessionShape): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w");
  const sessionId = path.slice(path.lastIndexOf("/") + 1, -".jsonl".length);
  let [written, parentUuid, startMs]: [number, string | null, number] = [0, null, Date.UTC(2026, 8, 1)];
  startMs += Math.floor(random() * 60 * 86_400_000);
  const write = (record: Readonly<Record<string, unknown>>): void => {
    const own = uuid(random);
    const timestamp = new Date((startMs += 1000 + random() * 20_000)).toISOString();
    const place = { parentUuid, isSidechain: false, userType: "external", cwd, sessionId, version: "2.1.300" };
    const line = `${JSON.stringify({ ...place, gitBranch: "main", uuid: own, timestamp, ...record })}\n`;
    written += writeSync(file, line);
    parentUuid = own;
  };
  if (hasHuge) write(toolResult("toolu_huge", words(2_500_000), false));
  const isFull = (): boolean => written >= size;
  while (!isFull()) writeTurn(write, random, words);
  closeSync(file);
}

/** A prompt, then answers over two lines each, with a tool's result between: a few long ones make most of the bytes. */
function writeTurn(
  write: (record: Readonly<Record<string, unknown>>) => void,
  random: () => number,
  words: (length: number) => string,
): void {
  write(user(words(100 + random() * 900)));
  for (let step = 0, steps = 1 + random() * 8; step < steps; step += 1) {
    const id = `msg_${uuid(random).replaceAll("-", "").slice(0, 24)}`;
    const callId = `toolu_${uuid(random).replaceAll("-", "").slice(0, 24)}`;
    const output = Math.floor(50 + random() * 800);
    write(assistant(id, 1, null, [{ type: "text", text: words(200 + random() * 1500) }]));
    const input = { command: words(40 + random() * 300), description: words(60) };
    write(assistant(id, output, "tool_use", [{ type: "tool_use", id: callId, name: "Bash", input }]));
    write(toolResult(callId, words(300 + random() ** 6 * 24_000), random() < 0.05));
  }
}

/** The CLI writes what a tool printed twice. */
function toolResult(callId: string, text: string, isError: boolean): Readonly<Record<string, unknown>> {
  const block = { type: "tool_result", tool_use_id: callId, content: text, is_error: isError };
  return { ...user([block]), toolUseResult: { stdout: text, stderr: "", interrupted: false } };
}

function user(content: unknown): Readonly<Record<string, unknown>> {
  return { type: "user", message: { role: "user", content } };
}

function assistant(
  id: string,
  output: number,
  stopReason: string | null,
  content: unknown,
): Readonly<Record<string, unknown>> {
  const usage = {
    input_tokens: 4,
    cache_creation_input_tokens: 700,
    cache_read_input_tokens: 42_000,
    cache_creation: { ephemeral_5m_input_tokens: 700, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
    service_tier: "standard",
  };
  const model = "claude-sonnet-4-5-20250929";
  const message = { id, type: "message", role: "assistant", model, content, stop_reason: stopReason, usage };
  return { type: "assistant", requestId: `req_${id}`, message };
}

/** Made-up words, a part of them not ASCII. */
function createVocabulary(random: () => number): readonly string[] {
  const letters = "etaoinshrdlucmfwypvbgk";
  return Array.from({ length: 20_000 }, (_, index) => {
    const length = 2 + Math.floor(random() * 9);
    const word = Array.from({ length }, () => letters[Math.floor(random() ** 1.5 * letters.length)]).join("");
    return index % 50 === 0 ? `${word}é` : word;
  });
}

/** Text of which some words are frequent and most are rare. */
function createWords(random: () => number, vocabulary: readonly string[]): (length: number) => string {
  let pool = "";
  while (pool.length < 8_000_000) {
    const word = vocabulary[Math.floor(random() ** 4 * vocabulary.length)] ?? "";
    pool += random() < 0.08 ? `${word}\n` : `${word} `;
  }
  return (length) => {
    const start = Math.floor(random() * (pool.length - length));
    return pool.slice(start, start + length);
  };
}

function uuid(random: () => number): string {
  const digits = Array.from({ length: 4 }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0"),
  ).join("");
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
}
