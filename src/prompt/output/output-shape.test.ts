import { describe, expect, it } from "vitest";
import { z } from "zod";
import { OutputError, createOutputShape } from "./output-shape.ts";
import fc from "fast-check";

const Review = z.object({
  summary: z.string().min(1),
  findings: z.array(
    z.object({ file: z.string(), line: z.int().positive().optional(), level: z.enum(["low", "high"]) }),
  ),
});

/** Values that are often near to a review, and often not. */
const nearly = fc.oneof(
  fc.anything(),
  fc.record(
    {
      summary: fc.oneof(fc.string(), fc.anything()),
      findings: fc.oneof(
        fc.array(
          fc.record(
            {
              file: fc.oneof(fc.string(), fc.integer()),
              line: fc.oneof(fc.integer(), fc.constant(undefined)),
              level: fc.constantFrom("low", "high", "none", 3),
            },
            { requiredKeys: [] },
          ),
        ),
        fc.anything(),
      ),
    },
    { requiredKeys: [] },
  ),
);

/** An error that has the text and the issues. */
function isTypedEnd(end: unknown): boolean {
  return end instanceof OutputError && end.kind === "parse" && end.text === "the text" && end.issues.length > 0;
}

describe("the shape of an answer", () => {
  it("is the schema itself for objects", () => {
    const shape = createOutputShape(z.object({ message: z.string() }), "test");
    expect(shape.jsonSchema).toEqual({
      type: "object",
      properties: { message: { type: "string" } },
      required: ["message"],
    });
  });

  it("is an object around everything else, with references that still lead where they did", async () => {
    interface Tree {
      readonly name: string;
      readonly children: readonly Tree[];
    }
    const tree: z.ZodType<Tree> = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const shape = createOutputShape(z.array(tree), "test");
    expect(shape.jsonSchema).toMatchObject({ type: "object", required: ["value"], additionalProperties: false });
    const text = JSON.stringify(shape.jsonSchema);
    const targets = [...text.matchAll(/"\$ref":"#\/definitions\/([^"]+)"/gu)].map(([, name]) => name);
    const { definitions } = shape.jsonSchema as { definitions: object };
    expect(targets.length).toBeGreaterThan(1);
    expect(targets.every((name) => Object.hasOwn(definitions, name ?? ""))).toBe(true);
    expect(text).not.toContain('"$ref":"#"');
    const value = [{ name: "a", children: [{ name: "b", children: [] }] }];
    expect(await shape.parse({ value }, "")).toEqual(value);
    await expect(shape.parse(value, "")).rejects.toMatchObject({ kind: "parse" });
  });

  it.each([
    ["an object", Review, (given: unknown) => given],
    ["a list", z.array(Review), (value: unknown) => ({ value: [value] })],
  ])("gives a valid answer or a typed error, whatever comes, for %s", async (_, schema, wrap) => {
    const shape = createOutputShape<unknown>(schema, "test");
    let valid = 0;
    await fc.assert(
      fc.asyncProperty(nearly, async (value) => {
        const end = await shape.parse(wrap(value), "the text").catch((error: unknown) => error);
        if (!(end instanceof Error)) valid += 1;
        expect(isTypedEnd(end) || schema.safeParse(end).success).toBe(true);
      }),
      { numRuns: 3000 },
    );
    expect(valid).toBeGreaterThan(10);
  });

  it("takes what a schema throws for an issue", async () => {
    const thrower = z.object({ a: z.string() }).transform(() => {
      throw new Error("unreadable");
    });
    await expect(createOutputShape(thrower, "test").parse({ a: "x" }, "")).rejects.toMatchObject({
      name: "OutputError",
      issues: [{ message: "unreadable" }],
    });
  });
});
