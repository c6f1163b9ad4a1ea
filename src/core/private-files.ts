/** How a folder is made that only its owner may look into; its parents too, where they are missing. */
export const PRIVATE_FOLDER = { recursive: true, mode: 0o700 } as const;

/** The mode of a file that only its owner may read: what agents were told and did is nobody else's. */
export const PRIVATE_FILE = 0o600;
