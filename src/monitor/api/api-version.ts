/** The version of the server's interface: who speaks an older one does not understand a newer. */
export const API_VERSION = 1;
