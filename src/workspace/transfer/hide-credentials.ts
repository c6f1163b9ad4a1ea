/** A text without what stands before the host of an address, or behind its question mark: both may hold a token. */
export function hideCredentials(text: string): string {
  return text
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@'"]*@/giu, "$1***@")
    .replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?'"]*\?)[^\s'"]*/giu, "$1***");
}
