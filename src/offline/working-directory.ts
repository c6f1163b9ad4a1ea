/** The working directory that the CLI told the model; undefined where a request tells none. */
export function findWorkingDirectory(body: unknown): string | undefined {
  if (typeof body === "string") return /^ - Primary working directory: (.+)$/m.exec(body)?.[1]?.trim();
  if (typeof body !== "object" || body === null) return undefined;
  for (const part of Object.values(body)) {
    const found = findWorkingDirectory(part);
    if (found !== undefined) return found;
  }
  return undefined;
}
