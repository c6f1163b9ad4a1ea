import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { ErrorData } from "../../src/protocol/command/envelope.ts";
import { flagsOf } from "../../src/protocol/command/describe-command.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { runInProcess } from "./support/in-process.ts";
import { readEnvelope, spawnSkein, temporaryDirectory } from "./support/skein.ts";

const SLOW = { timeout: 240_000 } as const;

/** Commands that only look, or are refused: they are run in earnest. The others are given a flag that nobody knows. */
const HARMLESS = new Set(
  (
    "list-sessions load-session delete-session flush-transcript turn-loop " +
    "log tree show diff compare verify schema manifest subsystems undo restore"
  ).split(" "),
);

const beforeTest = process.cwd();
let root: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-test-")));
  process.chdir(root);
});

afterAll(async () => {
  process.chdir(beforeTest);
  await rm(root, { recursive: true, force: true });
});

const NAMES = new Set(COMMANDS.flatMap(({ name }) => name.split(" ")));

const TYPED = (
  '- -- --- --= -h --help -V --version @ @~1 ../x /nowhere . -1 0 1e999 NaN { {"a":1} $(id) ü 🙂 %s __proto__ constructor ' +
  "--envelope-version --envelope-version=1 --envelope-version=9 --output-format=json -o help"
)
  .split(" ")
  .concat("", " ", "\n");

/** What people and programs type, and what they do not. */
const noise = fc.oneof(
  fc.constantFrom(...TYPED),
  fc.string({ unit: "binary", maxLength: 12 }).filter((text) => !NAMES.has(text) && !text.includes("\0")),
);

const vector = fc
  .constantFrom(undefined, ...COMMANDS)
  .chain((command) => {
    if (!command) return fc.tuple(fc.constant([] as string[]), fc.array(noise, { maxLength: 4 }));
    const flags = flagsOf(command).filter(({ isPositional, name }) => !isPositional && !isGuarded(command.name, name));
    const words = flags.length === 0 ? noise : fc.oneof(noise, fc.constantFrom(...flags.map(({ name }) => name)));
    return fc.tuple(
      fc.constant([...command.name.split(" "), ...guardOf(command.name)]),
      fc.array(words, { maxLength: 6 }),
    );
  })
  .chain(([head, tail]) => {
    const end = tail.indexOf("--");
    // After a bare -- nothing is a flag any more, so the format has to be asked for before.
    const last = end === -1 ? tail.length : end;
    return fc
      .nat({ max: last })
      .map((at) => [...head, ...tail.slice(0, at), "--output-format", "json", ...tail.slice(at)]);
  });

/** What holds a command back must not be typed over. */
function isGuarded(command: string, flag: string): boolean {
  return command === "turn-loop" && flag === "--timeout";
}

function guardOf(name: string): readonly string[] {
  if (name === "turn-loop") return ["--timeout=0"];
  return HARMLESS.has(name) ? [] : ["--no-such-flag"];
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One envelope and nothing else on standard output, the code that it tells, and no trace of a stack. */
function expectEnvelope({ code, stdout, stderr }: Ended): void {
  expect([0, 1, 2]).toContain(code);
  expect(stdout.indexOf("\n")).toBe(stdout.length - 1);
  const { command, exit_code, output_format, schema_version, ...rest } = readEnvelope(stdout);
  expect([typeof command, exit_code, output_format]).toEqual(["string", code, "json"]);
  expectParts(rest, { isFlat: schema_version === "1.0", hasFailed: code !== 0 });
  expect(`${stdout}${stderr}`).not.toMatch(/\n {4}at |\\n {4}at |node:internal/u);
}

/** Version 2 has `data` or `error`; version 1 has their fields beside its own. */
function expectParts(rest: object, { isFlat, hasFailed }: { isFlat: boolean; hasFailed: boolean }): void {
  if (!isFlat) {
    expect(Object.keys(rest)).toEqual([hasFailed ? "error" : "data"]);
    if (hasFailed) expect(ErrorData.safeParse((rest as { error?: unknown }).error).error).toBeUndefined();
  } else if (hasFailed) {
    const kind = expect.toSatisfy((value) => ErrorData.shape.kind.safeParse(value).success) as unknown;
    expect(rest).toMatchObject({ type: "error", kind, error: expect.any(String) as string });
  } else {
    expect(rest).toMatchObject({ kind: expect.any(String) as string });
  }
}

it("any words are answered with an envelope", SLOW, async () => {
  const property = fc.asyncProperty(vector, async (argv) => expectEnvelope(await runInProcess(argv)));
  await fc.assert(property, { numRuns: propertyRuns({ few: 150, all: 1000 }) });
});

it("any words are answered with an envelope by the command itself", SLOW, async () => {
  const cwd = await temporaryDirectory();
  const property = fc.asyncProperty(vector, async (argv) => expectEnvelope(await spawnSkein(argv, { cwd })));
  await fc.assert(property, { numRuns: propertyRuns({ few: 6, all: 30 }) });
});

it("words with a zero in them are answered too", SLOW, async () => {
  for (const { name, positional = [] } of COMMANDS.filter((command) => HARMLESS.has(command.name))) {
    const places = positional.map(() => "a\0b");
    expectEnvelope(await runInProcess([name, ...guardOf(name), ...places, "--output-format", "json"]));
    expectEnvelope(await runInProcess([name, "--cwd", "a\0b", "--output-format", "json"]));
  }
});
