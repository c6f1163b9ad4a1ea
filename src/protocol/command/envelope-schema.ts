import { z } from "zod";
import { ERROR_KINDS } from "../../core/index.ts";
import { OUTPUT_FORMATS } from "./envelope.ts";

/** What every envelope has, in both of its versions. */
const head = {
  timestamp: z.iso.datetime(),
  command: z.string(),
  exit_code: z.literal([0, 1, 2, 130]),
  output_format: z.enum(OUTPUT_FORMATS),
};

/** What went wrong. A command may add fields of its own. */
export const errorSchema = z.looseObject({
  kind: z.enum(ERROR_KINDS).meta({ description: "What went wrong, from a closed list; branch on this" }),
  operation: z.string().meta({ description: "The command that failed" }),
  target: z.string().nullable().meta({ description: "The path, flag, id or address concerned" }),
  retryable: z.boolean().meta({ description: "Whether the same command may succeed if run again" }),
  message: z.string(),
  hint: z.string().nullable().meta({ description: "What to do next" }),
});

/** An envelope around a command's data, or around an error: never both. */
export function envelopeSchema(data: z.ZodObject): z.ZodType {
  const second = { ...head, schema_version: z.literal("2.0") };
  const first = { ...head, schema_version: z.literal("1.0") };
  return z.union([
    z.strictObject({ ...second, data }),
    z.strictObject({ ...second, error: errorSchema }),
    z.strictObject({ ...first, error: errorSchema }),
    data.extend(first),
  ]);
}
