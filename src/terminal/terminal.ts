import picocolors from "picocolors";

/** What the other end of standard output can show. */
export interface Terminal {
  /** A cursor can be moved: spinners and streamed text make sense. */
  readonly isLive: boolean;
  readonly canAsk: boolean;
  /** Whether the locale's characters are those of UTF-8. */
  readonly isUnicode: boolean;
  /** How wide a line may be: without end where there is no terminal, so that nothing is cut in a pipe. */
  readonly columns: number;
  readonly rows: number;
  readonly colors: ReturnType<typeof picocolors.createColors>;
}

export interface TerminalStreams {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Looks at the streams. Colour needs a terminal, whatever CI or FORCE_COLOR say, so that pipes stay plain. */
export function describeTerminal({ stdin, stdout, env }: TerminalStreams): Terminal {
  const isLive = stdout.isTTY === true && env["TERM"] !== "dumb";
  return {
    isLive,
    canAsk: isLive && stdin.isTTY === true,
    isUnicode: isUnicodeLocale(env),
    // Read each time: windows are resized. A terminal that does not know its width says 0.
    get columns() {
      return stdout.columns || (stdout.isTTY ? 80 : Number.POSITIVE_INFINITY);
    },
    get rows() {
      return stdout.rows || 24;
    },
    colors: picocolors.createColors(isLive && !env["NO_COLOR"]),
  };
}

/** A locale that is named decides; where none is, terminals of today are taken to show what they do: UTF-8. */
function isUnicodeLocale(env: TerminalStreams["env"]): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"];
  return locale === undefined || locale === "" || /utf-?8/iu.test(locale);
}
