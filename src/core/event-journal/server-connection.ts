import { lstat } from "node:fs/promises";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import type { Clock } from "../clock.ts";
import { identify } from "../process-identity.ts";
import { onLines } from "./on-lines.ts";
import type { SenderLine } from "./sender-line.ts";
import { readServerFile } from "./server-file.ts";

/** The way to the monitor of a data folder, where one runs. Nothing that it does fails, or waits. */
export interface ServerConnection {
  readonly isConnected: boolean;
  /** Looks whether a monitor is there, once a second at most. */
  look(): void;
  /** Writes a line, where there is a monitor, and it takes what it is told. */
  write(line: SenderLine): void;
  close(): void;
}

/** A monitor is looked for once in this time at most. */
export const LOOK_EVERY_MS = 1000;

/** What a monitor that is slow has not taken yet; more is dropped, and it finds what it missed in the journals. */
const MOST_WAITING_BYTES = 1024 ** 2;

/** Connects to a monitor when it is found; what it says is handed to `onText`, a line at a time. */
export function createServerConnection(
  dataHome: string,
  { clock, onText }: { readonly clock: Clock; readonly onText: (text: string) => void },
): ServerConnection {
  let socket: Socket | undefined;
  let isLooking = false;
  let isClosed = false;
  let lookedAtMs = -Infinity;

  async function connectTo(): Promise<void> {
    const server = await readServerFile(dataHome);
    if (!server || !(await isOwn(server.socket)) || isClosed) return;
    const { connect } = await import("node:net");
    const hello = await identify(process.pid);
    const made = connect(server.socket);
    // A run that has ended is not held up by whoever listens to it.
    made.unref();
    made.on("error", () => made.destroy());
    made.on("close", () => {
      if (socket === made) socket = undefined;
    });
    made.on("connect", () => {
      if (isClosed) return void made.destroy();
      socket = made;
      if (hello) write({ type: "hello", version: 1, process: hello });
    });
    onLines(made, onText).catch(() => made.destroy());
  }

  function write(line: SenderLine): void {
    if (!socket || socket.writableLength > MOST_WAITING_BYTES) return;
    socket.write(`${JSON.stringify(line)}\n`);
  }

  return {
    get isConnected() {
      return socket !== undefined;
    },
    look() {
      if (socket || isLooking || isClosed || clock.now() - lookedAtMs < LOOK_EVERY_MS) return;
      isLooking = true;
      lookedAtMs = clock.now();
      connectTo()
        .catch(() => undefined)
        .finally(() => (isLooking = false));
    },
    write,
    close() {
      isClosed = true;
      socket?.destroy();
    },
  };
}

/** Whether only this user can have put a socket there: whoever listens there may answer for a person. */
async function isOwn(path: string): Promise<boolean> {
  const uid = process.getuid?.();
  if (uid === undefined) return true;
  const [socket, folder] = await Promise.all([lstat(path), lstat(dirname(path))]);
  return socket.uid === uid && folder.uid === uid && (folder.mode & 0o022) === 0;
}
