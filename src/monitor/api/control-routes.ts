import { z } from "zod";
import { Asker, RunId, SkeinError } from "../../core/internal.ts";
import { PERMISSION_MODES } from "../../engine/internal.ts";
import type { RunSummary } from "../runs/run-data.ts";
import { notFound } from "./not-found.ts";
import { route, type ApiContext } from "./route.ts";

/** Who asks, where nobody says. */
export const askedBy = "monitor";

const parameters = z.strictObject({ run: RunId });
const by = Asker.default(askedBy).describe("Who asks, to be recorded");
const data = z.strictObject({ run: z.string().describe("The run") });

export const interruptRun = route({
  method: "POST",
  path: "/api/runs/{run}/interrupt",
  operation: "interruptRun",
  summary: "Stops a turn or a search: it is recorded as cancelled",
  parameters,
  body: z.strictObject({ by }),
  data,
  async answer({ run: id, body }, context) {
    const { run, process } = await goingRun(id, context);
    await context.request(process, { type: "interrupt", target: run, by: body.by });
    return { run };
  },
});

export const changeRun = route({
  method: "POST",
  path: "/api/runs/{run}/settings",
  operation: "changeRun",
  summary:
    "Has a turn go on with another model, or a permission mode that is no looser than the one that it was started with",
  parameters,
  body: z.strictObject({
    model: z.string().min(1).max(200).optional().describe("The model, from the next response on"),
    permission_mode: z.enum(PERMISSION_MODES).optional().describe("The permission mode, from the next tool call on"),
    by,
  }),
  data,
  async answer({ run: id, body: { model, permission_mode: mode, by: asker } }, context) {
    if (model === undefined && mode === undefined) throw nothingToChange();
    const { run: target, process } = await goingRun(id, context);
    // The mode first: it may be refused, and then nothing was changed.
    if (mode !== undefined) await context.request(process, { type: "set-permission-mode", target, by: asker, mode });
    if (model !== undefined) await context.request(process, { type: "set-model", target, by: asker, model });
    return { run: target };
  },
});

async function goingRun(id: string, { runs }: ApiContext): Promise<RunSummary> {
  const run = await runs.read(id);
  if (!run) throw notFound("run", id);
  if (!run.hasEnded && !run.isCutOff) return run;
  throw new SkeinError(`The run is over: it ${run.isCutOff ? "was cut off" : "has ended"}`, {
    kind: "conflict",
    target: id,
  });
}

function nothingToChange(): SkeinError {
  return new SkeinError("The body names nothing to change", {
    kind: "usage",
    target: "body",
    hint: "Give `model`, `permission_mode` or both",
  });
}
