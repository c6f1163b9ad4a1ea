import type { SchemaIssue } from "../standard-schema.ts";

/** What is wrong with a value, in one line: each issue with the place it is about. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues.map((issue) => `${placeOf(issue)}${issue.message}`).join("; ");
}

function placeOf({ path = [] }: SchemaIssue): string {
  if (path.length === 0) return "";
  const keys = path.map((part) => (typeof part === "object" ? part.key : part));
  return `${keys.map(String).join(".")}: `;
}
