import { readFile } from "node:fs/promises";
import {
  dataHome,
  parseEvent,
  readServerFile,
  SkeinError,
  systemClock,
  type SkeinEvent,
} from "../../../core/internal.ts";
import {
  connectToMonitor,
  parseAddress,
  readTokenFile,
  tokenPath,
  type MonitorClient,
  type WireEvent,
} from "../../../monitor/internal.ts";
import { fromWire } from "../../../protocol/index.ts";
import { textFlag } from "../../common-flags.ts";
import type { CommandContext } from "../../define-command.ts";
import type { TurnView } from "../../turn/turn-view.ts";

/** The variable with the token of a server elsewhere: a command's words can be read by everybody on the machine. */
const TOKEN_VARIABLE = "SKEIN_MONITOR_TOKEN";

/** The flags by which a server elsewhere is reached. */
export const serverFlags = {
  tokenFile: textFlag("file", `The server's token, in a file for you alone (default: ${TOKEN_VARIABLE})`),
  caFile: textFlag("file", "The certificate of whoever signed the server's, as PEM"),
} as const;

interface ServerFlags {
  readonly target: string;
  readonly tokenFile?: string | undefined;
  readonly caFile?: string | undefined;
}

/** Reaches the server that was named, and makes sure that it is one. */
export async function openServer({ target, ...flags }: ServerFlags, context: CommandContext): Promise<MonitorClient> {
  const url = parseAddress(target);
  const token = await readServerToken(url, flags, context);
  const ca = flags.caFile === undefined ? undefined : await readCertificate(flags.caFile);
  return await connectToMonitor({ url, token, ca }, { clock: systemClock, signal: context.signal });
}

async function readServerToken(
  { origin }: URL,
  { tokenFile }: Pick<ServerFlags, "tokenFile">,
  { env }: CommandContext,
): Promise<string> {
  if (tokenFile !== undefined) return await readTokenFile(tokenFile);
  const given = env[TOKEN_VARIABLE]?.trim();
  if (given) return given;
  // The own server's token is for nobody else.
  if ((await readServerFile(dataHome()))?.url === origin) return await readTokenFile(tokenPath(dataHome()));
  throw new SkeinError(`No token for ${origin} was given`, {
    kind: "auth",
    target: origin,
    hint: `Put the token of the server's data folder, monitor/token there, into a file for \`tokenFile\`, or into ${TOKEN_VARIABLE}`,
  });
}

async function readCertificate(path: string): Promise<Buffer> {
  return await readFile(path).catch((cause: unknown) => {
    throw new SkeinError(`${path} cannot be read: ${(cause as Error).message}`, {
      kind: "filesystem",
      target: path,
      cause,
    });
  });
}

/** What a journal has beside the events of a turn: it begins and ends with them. */
const JOURNAL_EVENTS: ReadonlySet<string> = new Set(["run-start", "run-end"]);

/** Tells the events of a run elsewhere as those of one that runs here. */
export async function showRun(
  events: AsyncIterable<WireEvent>,
  { view, context }: { readonly view: TurnView; readonly context: CommandContext },
): Promise<void> {
  view.begin();
  try {
    for await (const event of events) {
      if (JOURNAL_EVENTS.has(event.type)) continue;
      await context.emit(event);
      const shown = readEvent(event);
      if (shown) await view.show(shown);
    }
  } finally {
    view.end();
  }
}

/** What was cut short for the journal may not be an event any more: it is told to programs alone. */
function readEvent(event: WireEvent): SkeinEvent | undefined {
  try {
    return parseEvent(fromWire(event));
  } catch {
    return undefined;
  }
}
