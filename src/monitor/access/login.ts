import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../../core/internal.ts";
import { isSameSecret } from "./token.ts";

/** How long the code in a printed address can be used: once. */
const CODE_MS = 10 * 60_000;

/** How long a browser stays known. */
const SESSION_MS = 7 * 24 * 3600_000;

/** How a browser gets in: by a code that works once, it is given a cookie. Nothing of it is kept: the cookie is proven by the token. */
export interface Login {
  /** A code for an address that is shown to the owner. */
  createCode(): string;
  /** The cookie's value for a code; undefined where it is not, or no longer, one. */
  redeem(code: string): string | undefined;
  /** Whether a cookie's value was given by this login or an earlier one with the same token. */
  accepts(value: string): boolean;
  readonly sessionMs: number;
}

export function createLogin(token: string, clock: Clock): Login {
  const codes = new Map<string, number>();
  const sign = (text: string): string => createHmac("sha256", token).update(`skein-cookie ${text}`).digest("base64url");
  return {
    sessionMs: SESSION_MS,
    createCode() {
      const code = randomBytes(24).toString("base64url");
      codes.set(code, clock.now() + CODE_MS);
      return code;
    },
    redeem(code) {
      const untilMs = codes.get(code);
      codes.delete(code);
      if (untilMs === undefined || untilMs < clock.now()) return undefined;
      const session = `${clock.now() + SESSION_MS}.${randomBytes(12).toString("base64url")}`;
      return `${session}.${sign(session)}`;
    },
    accepts(value) {
      const [until = "", id = "", signature = ""] = value.split(".");
      return isSameSecret(sign(`${until}.${id}`), signature) && Number(until) > clock.now();
    },
  };
}
