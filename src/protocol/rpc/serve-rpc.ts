import { SkeinError, type JsonlRecord } from "../../core/index.ts";
import type { CallContext } from "../command/command.ts";
import { openMessages } from "./message-stream.ts";
import { answerRequest, type RpcSession } from "./answer-request.ts";
import { notJson, notRequest } from "./rpc-errors.ts";

/** Serves the commands as methods, until the input has ended and everything is answered. Gives what was asked. */
export async function serveRpc(
  context: CallContext,
  { abortOnEnd }: Pick<RpcSession, "abortOnEnd">,
): Promise<RpcSession["counts"]> {
  const { messages, write } = openMessages(context);
  const end = new AbortController();
  const counts = { requests: 0, failed: 0 };
  const session = { context, write, abortOnEnd, ended: end.signal, running: new Map(), counts };
  const taken = new Set<Promise<void>>();
  try {
    for await (const record of messages) {
      const one = take(record, session).finally(() => taken.delete(one));
      taken.add(one);
    }
  } finally {
    end.abort(new SkeinError("The input has ended", { kind: "cancelled" }));
    await Promise.all(taken);
  }
  return counts;
}

/** Answers a line: one request, or several whose answers come together. */
async function take(record: JsonlRecord, session: RpcSession): Promise<void> {
  const { write } = session;
  if (record.type !== "value") return await write(notJson(record.type === "broken" ? record.message : "it is cut off"));
  const { value } = record;
  if (!Array.isArray(value)) {
    const answer = await answerRequest(value, session);
    if (answer) await write(answer);
    return;
  }
  if (value.length === 0) return await write(notRequest(null, "The batch is empty"));
  const answers = await Promise.all(value.map((one) => answerRequest(one, session)));
  const given = answers.filter((answer) => answer !== undefined);
  if (given.length > 0) await write(given);
}
