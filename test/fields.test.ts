import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { COMMANDS } from "../src/cli/commands.ts";
import { describeCommand, describeTurnEvents } from "../src/protocol/command/describe-command.ts";
import { ErrorData, successEnvelope } from "../src/protocol/command/envelope.ts";
import { ErrorDetails } from "../src/protocol/command/error-details.ts";
import { listFields, type SchemaField } from "../src/protocol/command/list-fields.ts";
import { runSkein, temporaryDirectory } from "./cli/support/skein.ts";
import { brokenFields, type PinnedField, readFields, writeFields } from "./support/pinned-fields.ts";

const PIN_FILE = "test/pins/fields.txt";

const sources = sourcesOf();
const actual = sources.flatMap(({ place, fields }): PinnedField[] =>
  fields.map(({ path, type, isNullable, isRequired }) => ({ place, path, type, isNullable, isRequired })),
);
const head = successEnvelope({ command: "log", format: "json", version: "2" }, {}) as {
  readonly schema_version: string;
};
const version = head.schema_version;

describe("the fields that programs read and write", () => {
  it("each say what they mean", () => {
    const silent = sources.flatMap(({ place, fields }) =>
      fields.filter(({ description = "" }) => description.trim() === "").map(({ path }) => `${place} ${path}`),
    );
    expect(silent).toEqual([]);
  });

  it("are all there, as they are pinned, until schema_version rises", () => {
    if (process.env["UPDATE_PINS"] === "1") updatePins();
    const pinned = readFields(readFileSync(PIN_FILE, "utf8"));
    expect(pinned.version, `take the fields of the new version: UPDATE_PINS=1 npx vitest run test/fields.test.ts`).toBe(
      version,
    );
    expect(brokenFields(pinned.fields, actual)).toEqual([]);
  });

  it("say in a doc comment of an event what they say in its schema", () => {
    const source = readFileSync("src/core/events/event.ts", "utf8");
    const pairs = [...source.matchAll(/\/\*\* ([^\n]*?)\.? \*\/\n {2,4}\w+: [^;]*?\.describe\(\s*"([^"]*)",?\s*\)/gu)];
    expect(pairs.length).toBeGreaterThan(15);
    expect(pairs.filter(([, comment, description]) => comment !== description).map(([, comment]) => comment)).toEqual(
      [],
    );
  });
});

describe("a change of fields", () => {
  const [before] = readFields("schema_version 2.0\nlog data · count · required · integer").fields;
  const broken = (change: Partial<PinnedField>) =>
    brokenFields(before ? [before] : [], before ? [{ ...before, ...change }] : []);

  it("is found where programs would miss something", () => {
    expect(broken({})).toEqual([]);
    expect(broken({ path: "total" })).toEqual(["log data · count is gone"]);
    expect(broken({ type: "string" })).toEqual(["log data · count was integer and is string"]);
    expect(broken({ isNullable: true })).toEqual(["log data · count was integer and is integer or null"]);
    expect(broken({ isRequired: false })).toEqual(["log data · count was integer and is optional integer"]);
  });

  it("is free where something is added, but not an argument that is needed", () => {
    const limit = { place: "log args", path: "limit", type: "integer", isNullable: false, isRequired: false };
    const added = { ...limit, path: "since" };
    expect(brokenFields([limit], [limit, added])).toEqual([]);
    expect(brokenFields([limit], [limit, { ...added, isRequired: true }])).toEqual(["log args · since is needed now"]);
  });
});

it("tells in explore's stream-json the events that its page describes", async () => {
  const words = ["explore", "--prompt", "Do it", "--n", "2", "--offline", "--output-format", "stream-json"];
  const { stdout } = await runSkein(words, { cwd: await temporaryDirectory() });
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const events = COMMANDS.find(({ name }) => name === "explore")?.events ?? [];
  const schemas = new Map(events.map((schema) => [(schema.shape["type"] as z.ZodLiteral<string>).value, schema]));
  const told = lines.slice(0, -1).map((line) => {
    const schema = schemas.get(String(line["type"]));
    return schema ? schema.safeParse(line).error?.message : `unknown: ${String(line["type"])}`;
  });
  expect(told.length).toBeGreaterThan(3);
  expect(told.filter((problem) => problem !== undefined)).toEqual([]);
});

interface Source {
  /** `run data`, `run args`, `explore event branch-end`, `doctor error`. */
  readonly place: string;
  readonly fields: readonly SchemaField[];
}

function sourcesOf(): readonly Source[] {
  const commands = COMMANDS.flatMap((command): Source[] => {
    const { name, args, data, events, error_details: details } = describeCommand(command);
    return [
      { place: `${name} args`, fields: listFields(args) },
      { place: `${name} data`, fields: listFields(data) },
      ...Object.entries(events).map(([type, schema]) => ({
        place: `${name} event ${type}`,
        fields: listFields(schema),
      })),
      ...(details ? [{ place: `${name} error`, fields: listFields(details) }] : []),
    ];
  });
  const turns = Object.entries(describeTurnEvents()).map(([type, schema]) => ({
    place: `event ${type}`,
    fields: listFields(schema),
  }));
  const error = { place: "error", fields: listFields(z.toJSONSchema(ErrorData) as object) };
  const details = { place: "error detail", fields: listFields(z.toJSONSchema(ErrorDetails) as object) };
  return [...commands, ...turns, error, details];
}

/** Takes the present fields as the pinned ones: those that were added; what is broken only with a new version. */
function updatePins(): void {
  if (process.env["CI"]) throw new Error("UPDATE_PINS is for people: in CI the pins are compared, never rewritten");
  const pinned = readFields(readFileSync(PIN_FILE, "utf8"));
  const broken = pinned.version === version ? brokenFields(pinned.fields, actual) : [];
  if (broken.length > 0) throw new Error(`Raise schema_version first: ${broken.join("; ")}`);
  writeFileSync(PIN_FILE, writeFields({ version: version, fields: actual }));
}
