import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SkeinError } from "../../core/index.ts";
import { type CassetteHeader, createCassette, type Exchange, readCassette } from "./cassette.ts";

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "skein-cassette-"));
  path = join(directory, "nested/run.jsonl");
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

const HEADER: CassetteHeader = {
  type: "cassette",
  version: 1,
  recordedAt: "2026-11-15T09:00:00.000Z",
  upstream: "https://api.anthropic.com",
};

const HEADER_LINE =
  '{"type":"cassette","version":1,"recordedAt":"2026-11-15T09:00:00.000Z","upstream":"https://api.anthropic.com"}\n';

const EXCHANGE: Exchange = {
  type: "exchange",
  request: { method: "POST", path: "/v1/messages", headers: {}, body: { model: "m", messages: [] } },
  response: {
    type: "stream",
    status: 200,
    headers: { "content-type": "text/event-stream" },
    events: [{ delayMs: 12, text: "event: ping\ndata: {}\n\n" }],
    cut: false,
  },
  timing: { startedAt: "2026-11-15T09:00:00.000Z", firstByteMs: 12, durationMs: 12 },
};

const EXCHANGE_LINE =
  '{"type":"exchange","request":{"method":"POST","path":"/v1/messages","headers":{},"body":{"model":"m","messages":[]}},' +
  '"response":{"type":"stream","status":200,"headers":{"content-type":"text/event-stream"},' +
  '"events":[{"delayMs":12,"text":"event: ping\\ndata: {}\\n\\n"}],"cut":false},' +
  '"timing":{"startedAt":"2026-11-15T09:00:00.000Z","firstByteMs":12,"durationMs":12}}\n';

test("a cassette is a header and a line for each exchange", async () => {
  const writer = await createCassette(path, HEADER);
  writer.append(EXCHANGE);
  writer.append(EXCHANGE);
  await writer.close();

  expect(await readFile(path, "utf8")).toBe(HEADER_LINE + EXCHANGE_LINE + EXCHANGE_LINE);
  expect(await readCassette(path)).toEqual({
    path,
    header: HEADER,
    exchanges: [
      { line: 2, exchange: EXCHANGE },
      { line: 3, exchange: EXCHANGE },
    ],
  });
});

test("half a last line is passed over", async () => {
  const file = await write(HEADER_LINE + EXCHANGE_LINE + EXCHANGE_LINE.slice(0, 100));

  expect((await readCassette(file)).exchanges).toEqual([{ line: 2, exchange: EXCHANGE }]);
});

test("a cassette that exists is not written over", async () => {
  await (await createCassette(path, HEADER)).close();

  await expect(createCassette(path, HEADER)).rejects.toMatchObject({
    kind: "filesystem",
    target: path,
    message: `The cassette ${path} exists`,
    hint: "Delete it to record again, or choose another path.",
  });
});

test("a file that is missing is told as such", async () => {
  const error = await readCassette(path).catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(SkeinError);
  expect(error).toMatchObject({ kind: "filesystem", target: path });
});

test.each([
  ["an empty file", "", 1, "expected a cassette header of version 1: the file is empty"],
  [
    "a later version",
    HEADER_LINE.replace('"version":1', '"version":2'),
    1,
    "Invalid input: expected 1\n  → at version",
  ],
  ["a file without a header", EXCHANGE_LINE, 1, "expected a cassette header of version 1"],
  [
    "a broken line",
    `${HEADER_LINE}{"type":\n${EXCHANGE_LINE}`,
    2,
    "expected an exchange: Unexpected end of JSON input",
  ],
  ["a field of the wrong type", HEADER_LINE + EXCHANGE_LINE.replace("200", '"ok"'), 2, "→ at response.status"],
  ["an unknown field", HEADER_LINE + EXCHANGE_LINE.replace('"cut"', '"key":"sk","cut"'), 2, 'Unrecognized key: "key"'],
])("%s is an error that names the line", async (_what, content, line, problem) => {
  const file = await write(content);

  const error = await readCassette(file).catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({
    kind: "parse",
    target: `${file}:${line}`,
    message: expect.stringContaining(`${file}, line ${line}: `),
    hint: "Record the cassette again, or fix the line: docs/formats/cassette.md describes the format.",
  });
  expect((error as Error).message).toContain(problem);
});

async function write(content: string): Promise<string> {
  const file = join(directory, "written.jsonl");
  await writeFile(file, content);
  return file;
}
