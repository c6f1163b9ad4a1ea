import { expect, it } from "vitest";
import { findOutputFormat } from "./run-command-line.ts";

it("finds the format anywhere before --, the last one given", () => {
  const lines = [
    ["run", "x"],
    ["run", "--output-format", "json", "x"],
    ["--output-format=stream-json"],
    ["--output-format", "json", "--output-format=text"],
    ["run", "--", "--output-format", "json"],
    ["run", "--output-format"],
    ["run", "--output-format", "xml"],
  ];
  expect(lines.map(findOutputFormat)).toEqual(["text", "json", "stream-json", "text", "text", "text", "text"]);
});
