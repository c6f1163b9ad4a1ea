import { without, type Clock } from "../../core/internal.ts";
import type { Alert } from "../alerts/alert-data.ts";
import type { AlertSettings } from "../alerts/alert-settings.ts";
import { openAlerts, type Alerts } from "../alerts/watch-alerts.ts";
import { listProcesses } from "../api/general-routes.ts";
import { readMetrics, type MetricsSource } from "../metrics/read-metrics.ts";
import type { Runs } from "../runs/runs.ts";
import type { EventStream } from "../stream/event-stream.ts";
import type { Teller } from "./event-socket.ts";
import { keepDoing } from "./keep-doing.ts";

interface AlertOptions {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly alerts?: AlertSettings | undefined;
  readonly onAlert?: ((alert: Alert) => void) | undefined;
}

interface Watched {
  readonly runs: Runs;
  readonly figures: MetricsSource["figures"];
  readonly stream: EventStream;
  tellers(): readonly Teller[];
  keep<Part extends AsyncDisposable | Disposable>(part: Part): Part;
}

const LOOK_EVERY_MS = 5000;
const DELIVER_EVERY_MS = 1000;

/** Has a monitor tell of alerts, until it ends. */
export async function startAlerts(options: AlertOptions, watched: Watched): Promise<Alerts> {
  const { home, env, clock, alerts: settings = {}, onAlert } = options;
  const { runs, figures, stream, tellers, keep } = watched;
  const alerts = await openAlerts({
    dataHome: home,
    settings,
    env,
    clock,
    sources: {
      async figures({ fromMs, toMs }) {
        const { total } = await readMetrics({ figures, runs, clock }, { from: fromMs, to: toMs });
        const { turns, failed, interrupted, costUsd, turnTime } = total;
        return { turns, failed: failed + interrupted, costUsd, medianMs: turnTime?.p50Ms ?? null };
      },
      runs: runs.known,
      async memory() {
        const found = await listProcesses({ runs, tellers, clock });
        const held = found.flatMap(({ process_id: pid, memory_bytes: bytes }) =>
          bytes === null ? [] : [[pid, bytes] as const],
        );
        return new Map([...held, [process.pid, process.memoryUsage.rss()]]);
      },
    },
    tell(alert) {
      stream.alert(alert);
      onAlert?.(alert);
    },
  });
  keep(alerts);
  keep(keepDoing(alerts.look, LOOK_EVERY_MS, clock));
  keep(keepDoing(alerts.deliver, DELIVER_EVERY_MS, clock));
  return alerts;
}

/** What the runs that a server starts have of its environment: not what it is to send to others with. */
export function withoutSecrets(env: NodeJS.ProcessEnv, { webhooks = [] }: AlertSettings = {}): NodeJS.ProcessEnv {
  const names = webhooks.flatMap(({ urlEnv, secretEnv }) => [urlEnv ?? [], secretEnv ?? []].flat());
  return without(env, names);
}
