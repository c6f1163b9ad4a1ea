import { z } from "zod";
import { SkeinError, type Clock } from "../../core/internal.ts";
import { API_VERSION } from "../api/api-version.ts";
import { Envelope } from "../launches/launch-folder.ts";
import { RunData } from "../runs/run-data.ts";
import type { MonitorAddress } from "./address.ts";
import { askServer } from "./ask-server.ts";
import { followRun, type FollowOptions, type WireEvent } from "./follow-run.ts";
import { notSkein } from "./server-failure.ts";

/** A monitor elsewhere, as who drives it sees it. */
export interface MonitorClient {
  /** Starts a run; `body` is what `POST /api/runs` takes. */
  start(body: object): Promise<RunData>;
  read(run: string): Promise<RunData>;
  /** The run that began last. */
  newest(): Promise<RunData>;
  interrupt(run: string): Promise<void>;
  /** All events of a run to its end. */
  follow(run: string, options: Pick<FollowOptions, "signal" | "notice">): AsyncGenerator<WireEvent, void, void>;
  /** Waits until the command of a run has ended, and gives what it wrote; undefined where there is nothing of it. */
  result(run: string, signal: AbortSignal): Promise<Envelope | undefined>;
}

// What a newer server tells besides is passed over.
const Known = z.object({ run: RunData.strip() });
const List = z.object({ runs: z.array(RunData.strip()) });
const Result = z.object({ is_running: z.boolean(), envelope: Envelope.nullable() });

/** Makes sure that a monitor answers that this version understands. */
export async function connectToMonitor(
  address: MonitorAddress,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<MonitorClient> {
  const { origin } = address.url;
  const data = z.looseObject({ status: z.literal("ok"), api_version: z.int() });
  const { api_version: version } = await askServer(address, { path: "/api/health", data, signal });
  if (version !== API_VERSION) {
    throw notSkein(origin, `its interface is of version ${version}, and this is of version ${API_VERSION}`);
  }
  const read = async (run: string): Promise<RunData> =>
    (await askServer(address, { path: `/api/runs/${encodeURIComponent(run)}`, data: Known })).run;
  return {
    read,
    async newest() {
      const [run] = (await askServer(address, { path: "/api/runs?limit=1", data: List, signal })).runs;
      if (run) return run;
      throw new SkeinError(`There is no run yet at ${origin}`, { kind: "state_not_found", target: origin });
    },
    start: async (body) => (await askServer(address, { path: "/api/runs", body, data: Known })).run,
    async interrupt(run) {
      await askServer(address, { path: `/api/runs/${run}/interrupt`, body: {}, data: z.looseObject({}) });
    },
    follow(run, options) {
      const look = async () => {
        const { state, lines } = await read(run);
        return { isOver: state !== "running", lines };
      };
      return followRun(address, run, { ...options, clock, look });
    },
    async result(run, until) {
      for (;;) {
        const path = `/api/runs/${run}/result?wait=20`;
        const { is_running: isRunning, envelope } = await askServer(address, { path, data: Result, signal: until });
        if (!isRunning) return envelope ?? undefined;
      }
    },
  };
}

/** A run that was killed has no envelope. */
export function cutOffError(run: string): SkeinError {
  return new SkeinError(`The run ${run} was cut off: its process was killed there`, {
    kind: "process",
    target: run,
    hint: "skein recover, in its directory there, keeps what it did or takes it back",
  });
}
