import { spawn } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import { configError, configuredValues, inspectConfig, loadConfig } from "../../../config/internal.ts";
import { defined } from "../../../core/internal.ts";
import {
  AlertData,
  DEFAULT_PORT,
  startMonitor,
  toAlertData,
  type Alert,
  type MonitorOptions,
  type WorkspaceBudget,
} from "../../../monitor/internal.ts";
import { formatMoment, plainLine } from "../../../terminal/index.ts";
import { usageError } from "../../../protocol/index.ts";
import { switchFlag, textFlag } from "../../common-flags.ts";
import { defineCommand, type CommandContext } from "../../define-command.ts";

const args = z.object({
  port: z.coerce.number().int().min(0).max(65_535).default(DEFAULT_PORT).meta({
    label: "number",
    description: "The port; 0 picks a free one",
  }),
  host: textFlag("address", "The address to listen on (default: 127.0.0.1, this machine alone)"),
  allowCommands: switchFlag(
    "Let requests name commands that run as you, outside any sandbox: rewards, bypassPermissions",
  ),
  readOnly: switchFlag("Only show: refuse all that would change something"),
  open: switchFlag("Open it in the browser"),
  allowRemote: switchFlag("Let other machines reach it, with --host"),
  tokenFile: textFlag("file", "The token that requests must have (default: one in the data folder)"),
  tlsCert: textFlag("file", "The certificate, as PEM"),
  tlsKey: textFlag("file", "The certificate's key, as PEM"),
  proxyUrl: textFlag("url", "The https:// address at which a proxy offers the server"),
});

type Args = z.infer<typeof args>;

const Served = z.strictObject({
  url: z.string().describe("Where it answers: REST below `/api`, the WebSocket at `/api/stream`"),
  port: z.int().describe("The port that it listens on"),
});

export const serve = defineCommand({
  name: "serve",
  summary: "Serve what is recorded and what happens now",
  effects: { changes: "nothing", isRepeatable: false, reaches: "machine" },
  args,
  data: Served,
  streaming: "always",
  events: [
    z
      .strictObject({
        type: z.literal("listening").describe("What happened"),
        ...Served.shape,
        login_url: z.string().describe("The address for a browser: its code works once, within ten minutes"),
      })
      .describe("It answers requests from now on"),
    z
      .strictObject({ type: z.literal("alert").describe("What happened"), alert: AlertData.describe("The alert") })
      .describe("An alert holds as it starts, has fired or is over"),
  ],
  examples: ["serve", "serve --port 0 --open", "serve --output-format stream-json"],
  async run(given, { signal, print, emit, notice, env }) {
    let isListening = false;
    const onAlert = (alert: Alert): void => {
      // What fired before it says where it listens is among those that hold then.
      if (!isListening) return;
      notice(alertLine(alert));
      void Promise.resolve(emit({ type: "alert", alert: toAlertData(alert) })).catch(() => {});
    };
    const { alerts, retention = {} } = configuredValues(await loadConfig({ env }));
    await using monitor = await startMonitor({
      ...toOptions(given),
      ...defined({ alerts }),
      retention,
      env,
      budgetOf: async (workspace) => await readBudget(workspace, env),
      onAlert,
    });
    const { url, port } = monitor;
    const loginUrl = monitor.loginUrl();
    await emit({ type: "listening", url, port, login_url: loginUrl });
    await print(`${loginUrl}\n`);
    notice(`Serving on ${url} until Ctrl-C. The address above works once, within ten minutes.`);
    const held = await monitor.alerts();
    isListening = true;
    for (const alert of held) onAlert(alert);
    if (given.open) openBrowser(await monitor.loginFile(), notice);
    if (!signal.aborted) await once(signal, "abort");
    return { url, port };
  },
});

/** What holds for a command in a workspace, unless a flag says otherwise. */
async function readBudget(workspace: string, env: NodeJS.ProcessEnv): Promise<WorkspaceBudget> {
  const configuration = await inspectConfig({ workspace, env });
  if (configuration.mistakes.length > 0) throw configError(configuration.mistakes);
  const { maxCostUsd, maxConversationCostUsd } = configuredValues(configuration).budget ?? {};
  return defined({ maxCostUsd, maxConversationCostUsd });
}

function alertLine({ message, clearedAt, firedAt }: Alert): string {
  const words =
    clearedAt === undefined
      ? `Alert since ${formatMoment(Date.parse(firedAt))}`
      : `Over since ${formatMoment(Date.parse(clearedAt))}`;
  return plainLine(`${words}: ${message}.`);
}

function toOptions({ tlsCert, tlsKey, port, ...given }: Args): MonitorOptions {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw usageError("serve", "--tls-cert and --tls-key must be given together", {
      target: tlsCert === undefined ? "--tls-cert" : "--tls-key",
    });
  }
  const tls = tlsCert !== undefined && tlsKey !== undefined ? { certFile: tlsCert, keyFile: tlsKey } : undefined;
  return { port, ...defined({ ...given, tls }) };
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** It is given a file that leads to the address: every user of the machine can read the words of a command. */
function openBrowser(file: string, notice: CommandContext["notice"]): void {
  const [command = "", ...words] = OPENERS[process.platform] ?? ["xdg-open"];
  const opener = spawn(command, [...words, file], { stdio: "ignore", detached: true });
  opener.on("error", () => notice("No browser could be opened: copy the address."));
  opener.unref();
}
