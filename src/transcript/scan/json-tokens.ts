/** The byte of `"`. */
export const QUOTE = 0x22;
/** The byte of `\`. */
export const BACKSLASH = 0x5c;
/** The byte of `,`. */
export const COMMA = 0x2c;
/** The byte of `:`. */
export const COLON = 0x3a;
/** The byte of `{`. */
export const OPEN_BRACE = 0x7b;
/** The byte of `}`. */
export const CLOSE_BRACE = 0x7d;
/** The byte of `[`. */
export const OPEN_BRACKET = 0x5b;
/** The byte of `]`. */
export const CLOSE_BRACKET = 0x5d;
