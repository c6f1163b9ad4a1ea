import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { COMMANDS } from "../../src/cli/commands.ts";
import { ErrorData, OUTPUT_FORMATS } from "../../src/protocol/index.ts";
import { runSkein, spawnSkein } from "../cli/support/skein.ts";
import { CONTRACT_CASES } from "../cli/support/contract-cases.ts";
import { keptWorkspace, type TracedWorkspace } from "../cli/support/traced-workspace.ts";

const SLOW = { timeout: 120_000 } as const;
const COMMON = ["timestamp", "command", "exit_code", "output_format", "schema_version"];

let workspace: TracedWorkspace;

beforeAll(async () => {
  workspace = await keptWorkspace();
});

it("what the commands are about is recorded first", SLOW, async () => {
  await workspace.turn('Bash {"command":"echo 1 > a.txt"}');
  await workspace.turn('Bash {"command":"echo 2 > a.txt"}', "--continue");
  expect(await workspace.data("log")).toMatchObject({ totals: { turns: 2 } });
});

it("every command has a case, and data that no field of the envelope is hidden by", () => {
  expect(COMMANDS.map(({ name }) => name).toSorted()).toEqual(Object.keys(CONTRACT_CASES).toSorted());
  for (const { name, data } of COMMANDS) {
    expect([name, Object.keys(data.shape).filter((field) => COMMON.includes(field) || field === "error")]).toEqual([
      name,
      [],
    ]);
  }
});

describe.each(COMMANDS.map((command) => [command.name, command] as const))("skein %s", (name, { data, streaming }) => {
  const { success, failure: [kind, ...failing] = ["usage"] } = CONTRACT_CASES[name] ?? {};
  const schema = envelopeSchema(name, data);

  it.each(["2", "1"])(
    "fails with an envelope of version %s, in a fresh home and in a populated one",
    SLOW,
    async (version) => {
      const args = [...name.split(" "), ...failing, "--output-format", "json", "--envelope-version", version];
      const populated = runSkein(args, { cwd: workspace.cwd, env: { SKEIN_HOME: workspace.home } });
      const fresh = version === "2" ? [spawnSkein(args)] : [];
      for (const { code, stdout } of await Promise.all([populated, ...fresh])) {
        const envelope = readOnlyLine(stdout);
        expect(schema.safeParse(envelope).error).toBeUndefined();
        const failed = version === "1" ? { type: "error", kind } : { error: { kind } };
        expect(envelope).toMatchObject({
          command: name,
          exit_code: code,
          ...failed,
          schema_version: `${version}.0`,
        });
        expect(code).toBe(1);
      }
    },
  );

  // Those that serve until they are ended, or need another machine, have tests of their own.
  if (success === undefined) return;
  it("succeeds with an envelope of either version", SLOW, async () => {
    const words = typeof success === "function" ? await success(workspace) : success;
    // Once in a process of its own, which has to end by itself.
    for (const [version, run] of [
      ["2", spawnSkein],
      ["1", runSkein],
    ] as const) {
      const args = [...name.split(" "), ...words, "--output-format", "json", "--envelope-version", version];
      const { code, stdout, stderr } = await run(args, {
        cwd: workspace.cwd,
        env: { SKEIN_HOME: workspace.home },
      });
      expect([code, stdout.slice(0, code === 0 ? 0 : 2000), code === 0 ? "" : stderr]).toEqual([0, "", ""]);
      const envelope = readOnlyLine(streaming === "always" ? lastLine(stdout) : stdout);
      expect(schema.safeParse(envelope).error).toBeUndefined();
      expect(Object.keys(envelope).includes("data")).toBe(version === "2");
    }
  });
});

/** Standard output holds one line and not a byte beside it. */
function readOnlyLine(stdout: string): Record<string, unknown> {
  expect(stdout.indexOf("\n")).toBe(stdout.length - 1);
  return JSON.parse(stdout) as Record<string, unknown>;
}

function lastLine(stdout: string): string {
  return `${stdout.trimEnd().split("\n").at(-1)}\n`;
}

/** The error of version 1: flat, and beside the four fields of the old form what else is known. */
const FlatError = z.looseObject({
  type: z.literal("error"),
  kind: ErrorData.shape.kind,
  error: z.string(),
  hint: z.string().nullable(),
  target: z.string().nullable(),
  retryable: z.boolean(),
});

/** The data of version 1: a field that would stand in place of the common `kind` has another name. */
function flat(data: z.ZodObject): z.ZodObject {
  const { kind, ...shape } = data.shape;
  return kind === undefined ? data : z.strictObject({ ...shape, data_kind: kind });
}

/** An envelope around a command's data, or around an error: never both. */
function envelopeSchema(name: string, data: z.ZodObject): z.ZodType {
  const head = {
    timestamp: z.iso.datetime(),
    command: z.string(),
    exit_code: z.literal([0, 1, 2, 130]),
    output_format: z.enum(OUTPUT_FORMATS),
  };
  const second = { ...head, schema_version: z.literal("2.0") };
  const first = { ...head, schema_version: z.literal("1.0") };
  return z.union([
    z.strictObject({ ...second, data }),
    z.strictObject({ ...second, error: ErrorData }),
    FlatError.extend(first),
    flat(data).extend({ ...first, kind: z.literal(name) }),
  ]);
}
