import type { Socket } from "node:net";

/** A line is a line of a journal at most, and what is around it. */
const MOST_LINE_BYTES = 512 * 1024;

/** Hands the lines that a socket brings on, one after the other: it is read no faster than they are dealt with. One that sends endless lines is cut off. */
export async function onLines(socket: Socket, onLine: (text: string) => Promise<void> | void): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      await onLine(bytes.toString("utf8", start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MOST_LINE_BYTES) return void socket.destroy();
  }
}
