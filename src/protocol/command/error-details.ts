import { z } from "zod";

/** What an error of any command may have beside the fields that all have, each where it is known. A command's own are its `errorDetails`. */
export const ErrorDetails = z.object({
  status: z.int().optional().describe("The HTTP status that the API answered with"),
  retry_after_ms: z.number().optional().describe("How long the API asked to wait, in milliseconds"),
  code: z.string().optional().describe("The system's error code, such as `ECONNREFUSED`"),
  timeout_ms: z.number().optional().describe("The limit on time that was passed, in milliseconds"),
  reason: z.string().optional().describe("Which limit was passed: `turn`, `idle` or `deadline`"),
  api_status: z.int().optional().describe("What the API was answering when the time was up"),
  api_refusals: z.int().optional().describe("How often it had answered so"),
  model: z.string().optional().describe("The model that does not exist or is not open to this account"),
  option: z.string().optional().describe("The option whose value cannot work"),
  cli_path: z.string().optional().describe("Where Claude Code was looked for"),
  command: z.string().optional().describe("The program that failed"),
  exit_code: z.int().optional().describe("What the program ended with, where it ended by itself"),
  signal: z.string().optional().describe("The signal that ended the program"),
  stderr_tail: z.string().optional().describe("The last lines that the program wrote to standard error"),
  resource: z.string().optional().describe("What the machine ran out of: memory, disk, processes, file handles"),
  limited_by: z.string().optional().describe("What held the limit: `cgroup-v1`, `cgroup-v2` or `samples` for memory"),
  session_id: z.string().optional().describe("The session that cannot be loaded or gone on with"),
  line: z.int().nullable().optional().describe("The line of the configuration file; null where there is none"),
  column: z.int().nullable().optional().describe("The column of the configuration file; null where there is none"),
  key: z.string().optional().describe("The key of the configuration that is wrong: `permissions.mode`"),
  mistakes: z.array(z.unknown()).optional().describe("All mistakes of the configuration, each with its place"),
  module: z.string().optional().describe("The plugin that cannot be used"),
  executes: z.array(z.unknown()).optional().describe("What an untrusted folder's settings would run"),
  files: z.array(z.string()).optional().describe("The files of an untrusted folder that were looked at"),
});
