import { SkeinError, type SkeinErrorOptions } from "../../core/index.ts";
import type { SchemaIssue } from "../standard-schema.ts";

/** An agent's answer that is not in the shape that was asked for. */
export class OutputError extends SkeinError {
  override readonly name = "OutputError";
  /** The answer as text. */
  readonly text: string;
  /** What is wrong with it. */
  readonly issues: readonly SchemaIssue[];
  /** The answer as it was given, where it was given as data. */
  readonly given: unknown;

  constructor(
    message: string,
    options: SkeinErrorOptions & {
      readonly text: string;
      readonly issues: readonly SchemaIssue[];
      readonly given?: unknown;
    },
  ) {
    super(message, { ...options, kind: "parse" });
    this.text = options.text;
    this.issues = options.issues;
    this.given = options.given;
  }
}
