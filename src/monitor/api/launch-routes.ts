import { z } from "zod";
import { RunId } from "../../core/internal.ts";
import { Envelope } from "../launches/launch-folder.ts";
import { RunData, toRunData } from "../runs/run-data.ts";
import { agentFields, placeOf, requireAllowed, searchFields, toFlags, turnFields } from "./launch-body.ts";
import { notFound } from "./not-found.ts";
import { route } from "./route.ts";

const Started = z.strictObject({ run: RunData.describe("The run, which has just begun") });

const Attachment = z.strictObject({
  name: z
    .string()
    .regex(/^[\w][\w. -]{0,99}$/u, "it is no plain name of a file")
    .describe("The file's name"),
  content_base64: z.base64().describe("Its content, as base64"),
});

export const startRun = route({
  method: "POST",
  path: "/api/runs",
  operation: "startRun",
  summary: "Runs an agent on a prompt, in a process of its own, and records the turn",
  body: z.strictObject({
    ...agentFields,
    ...turnFields,
    attachments: z.array(Attachment).max(10).default([]).describe("Images, PDFs or text files to send along"),
  }),
  mostBodyBytes: 16 * 1024 ** 2,
  data: Started,
  async answer({ body: { workspace, directory, prompt, attachments, ...flags } }, context) {
    requireAllowed(context, "permission_mode", flags.permission_mode === "bypassPermissions");
    requireAllowed(context, "ask", flags.ask === "remote");
    const cwd = await placeOf({ workspace, directory }, context);
    const order = {
      command: "run",
      flags: toFlags({ cwd, ...flags }),
      input: prompt,
      attachments: attachments.map(({ name, content_base64: text }) => ({
        name,
        content: Buffer.from(text, "base64"),
      })),
    };
    return { run: toRunData(await context.launches.start(order, "turn")) };
  },
});

export const startSearch = route({
  method: "POST",
  path: "/api/searches",
  operation: "startSearch",
  summary:
    "Tries prompts on branches, in a process of its own; one prompt is a turn beside the directory, on from any state",
  body: z.strictObject({ ...agentFields, ...searchFields }),
  mostBodyBytes: 8 * 1024 ** 2,
  data: Started,
  async answer({ body: { workspace, directory, ...flags } }, context) {
    requireAllowed(context, "permission_mode", flags.permission_mode === "bypassPermissions");
    requireAllowed(context, "ask", flags.ask === "remote");
    requireAllowed(context, "reward", flags.reward !== undefined);
    const cwd = await placeOf({ workspace, directory }, context);
    const order = { command: "explore", flags: toFlags({ cwd, ...flags }), input: undefined, attachments: [] };
    return { run: toRunData(await context.launches.start(order, "search")) };
  },
});

const LONGEST_WAIT_S = 25;

export const getRunResult = route({
  path: "/api/runs/{run}/result",
  operation: "getRunResult",
  summary: "What the command of a run came to that a server has started, when it has ended",
  parameters: z.strictObject({ run: RunId }),
  query: z.strictObject({
    wait: z.coerce.number().min(0).max(LONGEST_WAIT_S).default(0).describe("How long to wait for its end, in seconds"),
  }),
  data: z.strictObject({
    is_running: z.boolean().describe("Whether its process still runs"),
    envelope: Envelope.nullable().describe(
      "The envelope that it wrote; null where it still runs, was killed, or no server started it",
    ),
  }),
  async answer({ run: id, wait }, { runs, launches }) {
    const run = await runs.read(id);
    if (!run) throw notFound("run", id);
    const result = await launches.result(run, wait * 1000);
    return {
      is_running: result?.isRunning ?? toRunData(run).state === "running",
      envelope: result?.envelope ?? null,
    };
  },
});
