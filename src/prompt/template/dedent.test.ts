import { describe, expect, it } from "vitest";
import { dedent } from "./markdown-section.ts";

describe("dedent", () => {
  it("takes off what all lines share, and blank lines around them", () => {
    expect(dedent("\n    First\n\n      code\n    Last  \n  ")).toBe("First\n\n  code\nLast");
  });

  it("leaves a line without indentation, and nothing, as they are", () => {
    expect(dedent("First\n    code")).toBe("First\n    code");
    expect(dedent("")).toBe("");
    expect(dedent(" \n ")).toBe("");
  });
});
