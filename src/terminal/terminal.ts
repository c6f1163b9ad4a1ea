import picocolors from "picocolors";

/** What the other end of standard output can show. */
export interface Terminal {
  /** A cursor can be moved: spinners and streamed text make sense. */
  readonly isLive: boolean;
  readonly canAsk: boolean;
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
    // Read each time: windows are resized. A terminal that does not know its width says 0.
    get columns() {
      return stdout.columns || 80;
    },
    get rows() {
      return stdout.rows || 24;
    },
    colors: picocolors.createColors(isLive && !env["NO_COLOR"]),
  };
}
