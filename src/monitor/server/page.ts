/** What a browser shows at the server's address where the page was not built. */
export const PAGE = page(
  "Skein's monitor is running",
  "Everything that it shows can be read at <code>/api</code>; <code>/api/openapi.json</code> lists it.",
);

/** What it shows to somebody who has no token. */
export const PAGE_WITHOUT_TOKEN = page(
  "Skein's monitor",
  "Open the address that <code>skein serve</code> printed. It works once; start the server again for another.",
);

/** Leads a browser to an address by itself: a redirect would come without the cookie that was just given. */
export function leadTo(url: string): string {
  // Byte by byte, as the address came: what could end the attribute, or be read as another host, is escaped.
  const address = url
    .replaceAll(/[^\w:/.?=%&+,;@~!*()[\]-]/gu, (character) =>
      [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
    )
    .replaceAll("&", "&amp;");
  return `<!doctype html><meta charset="utf-8"><title>Skein</title><meta http-equiv="refresh" content="0;url=${address}">\n`;
}

function page(title: string, text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`;
}
