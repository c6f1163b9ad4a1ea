import { z } from "zod";

// What a state says may come from somebody else: each value is held to what Skein itself writes, so that none can lead to a
// path, be taken for a flag of the CLI, or be larger than what is made of it.

/** The id of a conversation or of a transition. */
export const RecordId = z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/u);

/** The id of a session: the CLI is given it, and files are named after it. Claude Code's are UUIDs, other engines' need not be. */
export const SessionId = z.string().regex(/^[A-Za-z0-9][\w-]{0,99}$/u);

/** A moment, as ISO 8601 has it. */
export const Moment = z.iso.datetime({ offset: true });

/** A number of tokens, milliseconds or the like. */
export const Amount = z.number().min(0).max(1e15);

/** An amount of money. */
export const Dollars = z.number().min(0).max(1e9);

/** The name of a model, as the CLI takes it. */
export const ModelName = z.string().regex(/^(?:[\w[][\w.:@/[\] -]{0,199})?$/u);

/** The name of a reward, a tool or the like. */
export const ShortName = z.string().max(1000);
