import { parseJson, SkeinError } from "../../core/internal.ts";
import { ErrorData, errorFromData } from "../../protocol/index.ts";
import { z } from "zod";

/** What a server refused with; what answers without a word of Skein's is none. */
export function refusalOf(status: number, text: string, { origin }: URL): SkeinError {
  const { data } = z.object({ error: ErrorData }).safeParse(parseJson(text));
  if (!data) return notSkein(origin, `it answered with the status ${status}`);
  if (data.error.kind !== "auth") return errorFromData(data.error);
  return new SkeinError(`${origin} does not take the token`, {
    kind: "auth",
    target: origin,
    hint: "It is in monitor/token of the data folder there, unless its skein serve was given another",
  });
}

/** Something else than a monitor. */
export function notSkein(origin: string, why: string): SkeinError {
  return new SkeinError(`What answers at ${origin} is no Skein server that this version understands: ${why}`, {
    kind: "parse",
    target: origin,
    hint: "Check the address; where it is right, install the same version of Skein on both machines",
  });
}

/** Why a connection failed. What the certificate or the protocol is about does not pass; that nobody answers may. */
export function connectionFailure(cause: unknown, { origin, protocol }: URL): SkeinError {
  const { code = "", message } = cause as NodeJS.ErrnoException;
  if (isAboutTls(code, message)) {
    return new SkeinError(`No secure connection to ${origin}: ${message}`, {
      kind: "config",
      target: origin,
      hint:
        code === "EPROTO"
          ? "It does not speak TLS there: use http:// for a server that was started without a certificate"
          : "Name the certificate of whoever signed the server's with `caFile`, and call it by a name that is in it",
      cause,
    });
  }
  if (code.startsWith("HPE_")) return notSkein(origin, "it does not speak HTTP there");
  return new SkeinError(`Nobody answers at ${origin}: ${message || code}`, {
    kind: "network",
    retryable: true,
    target: origin,
    // A server that speaks the other protocol hangs up on the first word.
    hint:
      code === "ECONNRESET"
        ? `Use ${protocol === "http:" ? "https:// if the server has a certificate" : "http:// if the server has no certificate"}`
        : "Check that skein serve runs there, and the address and port",
    cause,
  });
}

function isAboutTls(code: string, message: string): boolean {
  return (
    code === "EPROTO" ||
    /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_)/u.test(code) ||
    /certificate/iu.test(message)
  );
}
