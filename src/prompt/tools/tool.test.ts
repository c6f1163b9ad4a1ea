import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { StandardSchemaV1 } from "../output/standard-schema.ts";
import { ToolResult } from "./tool-result.ts";
import { tool, type AnyTool, type Tool } from "./tool.ts";

const definition = {
  name: "search",
  description: "Search the index",
  params: z.object({ query: z.string() }),
  handler: () => ToolResult.ok(1),
};

/** A schema of a library of one's own, that tells its JSON Schema. */
const handmade: StandardSchemaV1<unknown, { readonly id: number }> = {
  "~standard": {
    version: 1,
    vendor: "handmade",
    validate: (value) => {
      const { id } = value as { id?: unknown };
      return typeof id === "number" ? { value: { id } } : { issues: [{ message: "expected a number", path: ["id"] }] };
    },
    jsonSchema: { input: () => ({ type: "object", properties: { id: { type: "number" } }, required: ["id"] }) },
  },
};

describe("a tool", () => {
  it("knows the types of its parameters, its value and its name", () => {
    const made = tool({
      name: "search",
      description: "Search the index",
      params: z.object({ query: z.string(), limit: z.number().default(10) }),
      result: z.object({ matches: z.number() }),
      examples: [{ description: "a word", input: { query: "a" }, output: { matches: 1 } }],
      handler(params, { signal, callId }) {
        expectTypeOf(params).toEqualTypeOf<{ query: string; limit: number }>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(callId).toEqualTypeOf<string>();
        return ToolResult.ok({ matches: 3 });
      },
    });
    expectTypeOf(made).toEqualTypeOf<Tool<"search", { query: string; limit: number }, { matches: number }>>();
    expectTypeOf(made).toExtend<AnyTool>();
    expect(made.name).toBe("search");
  });

  it("does not type-check with a value that its result schema refuses", () => {
    tool({
      ...definition,
      result: z.object({ matches: z.number() }),
      // @ts-expect-error a text is no object with matches
      handler: () => ToolResult.ok("three"),
    });
    // @ts-expect-error the input of an example has to fit
    expect(() => tool({ ...definition, examples: [{ description: "a number", input: { query: 4 } }] })).toThrow(
      "query",
    );
  });

  it("may take no parameters, or those of any library that tells its JSON Schema", () => {
    const none = tool({
      name: "now",
      description: "The time",
      handler: (params) => ToolResult.ok(Object.keys(params)),
    });
    expect(none.params["~standard"].validate({})).toEqual({ value: {} });
    const other = tool({
      name: "get",
      description: "Get one",
      params: handmade,
      handler: ({ id }) => ToolResult.ok(id),
    });
    expectTypeOf(other).toEqualTypeOf<Tool<"get", { readonly id: number }, number>>();
  });

  it.each([
    ["a name out of shape", { name: "Search Index" }],
    ["an empty name", { name: "" }],
    ["a name that is too long", { name: "a".repeat(65) }],
    ["no description", { description: " " }],
    ["a description that is too long", { description: "a".repeat(1025) }],
    ["no handler", { handler: undefined }],
    ["params that are no schema", { params: {} }],
    ["params that are no object", { params: z.string() }],
    ["params that JSON cannot hold", { params: z.object({ at: z.date() }) }],
    [
      "params of a library that does not tell",
      { params: { "~standard": { version: 1, vendor: "x", validate: () => ({}) } } },
    ],
    ["a result that is no schema", { result: {} }],
    ["an example that does not fit", { examples: [{ description: "bad", input: { query: 4 } }] }],
    ["an example without a description", { examples: [{ description: "", input: { query: "a" } }] }],
    [
      "an example whose output does not fit",
      { result: z.number(), examples: [{ description: "x", input: { query: "a" }, output: "b" }] },
    ],
  ])("is refused with %s", (_, wrong) => {
    expect(() => tool({ ...definition, ...wrong } as never)).toThrow(
      expect.objectContaining({
        name: "SkeinError",
        kind: "usage",
        hint: expect.any(String),
        target: expect.any(String),
      }),
    );
  });
});
