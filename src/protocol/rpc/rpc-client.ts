import { z } from "zod";
import { formatJsonl, parseJsonl, type SkeinError } from "../../core/internal.ts";
import { ErrorData, errorFromData } from "../command/envelope.ts";

/** Calls the commands of a `skein rpc` elsewhere. */
export interface RpcClient {
  /** Runs a command there. An abort cancels it there, and waits for what it then comes to. */
  call(
    method: string,
    params: object,
    options?: { readonly signal?: AbortSignal; readonly onEvent?: (event: unknown) => Promise<void> },
  ): Promise<unknown>;
}

interface Pending {
  readonly onEvent: ((event: unknown) => Promise<void>) | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const Message = z.union([
  z.object({ method: z.literal("event"), params: z.object({ id: z.number(), event: z.unknown() }) }),
  z.object({ id: z.number(), error: z.object({ message: z.string(), data: ErrorData }) }),
  z.object({ id: z.number(), result: z.unknown() }),
]);

export function createRpcClient({
  output,
  write,
  lost,
}: {
  readonly output: AsyncIterable<Uint8Array>;
  readonly write: (line: string) => void;
  /** What to fail with when the output ends before everything is answered. */
  readonly lost: () => Promise<SkeinError>;
}): RpcClient {
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let end: SkeinError | undefined;

  const read = async (): Promise<void> => {
    for await (const record of parseJsonl(output)) {
      const message = Message.safeParse(record.type === "value" ? record.value : undefined).data;
      if (message) await deliver(message, pending);
    }
  };
  const fail = async (): Promise<void> => {
    end = await lost();
    for (const { reject } of pending.values()) reject(end);
  };
  void read().then(fail, fail);

  return {
    async call(method, params, { signal, onEvent } = {}) {
      signal?.throwIfAborted();
      if (end) throw end;
      const id = ++lastId;
      const cancel = (): void => write(formatJsonl({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } }));
      signal?.addEventListener("abort", cancel, { once: true });
      try {
        return await new Promise((resolve, reject) => {
          pending.set(id, { onEvent, resolve, reject });
          write(formatJsonl({ jsonrpc: "2.0", id, method, params }));
        });
      } finally {
        pending.delete(id);
        signal?.removeEventListener("abort", cancel);
      }
    },
  };
}

async function deliver(message: z.infer<typeof Message>, pending: ReadonlyMap<number, Pending>): Promise<void> {
  if ("method" in message) {
    const { id, event } = message.params;
    await pending.get(id)?.onEvent?.(event);
  } else if ("error" in message) {
    pending.get(message.id)?.reject(errorFromData(message.error.data));
  } else {
    pending.get(message.id)?.resolve(message.result);
  }
}
