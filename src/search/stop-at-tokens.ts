import type { SkeinEvent } from "../core/index.ts";

/** Watches the responses of a turn; gives true once they have used as many tokens as they may. */
export function stopAtTokens(maxTokens: number): (event: SkeinEvent) => boolean {
  const tokens = new Map<string, number>();
  return ({ raw }) => {
    const { message } = (raw ?? {}) as { readonly message?: ApiMessage };
    if (message?.id === undefined || message.usage === undefined) return false;
    tokens.set(
      message.id,
      FIELDS.reduce((sum, field) => sum + (message.usage?.[field] ?? 0), 0),
    );
    return [...tokens.values()].reduce((sum, each) => sum + each, 0) >= maxTokens;
  };
}

interface ApiMessage {
  readonly id?: string;
  readonly usage?: Readonly<Record<string, number | null | undefined>>;
}

const FIELDS = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;
