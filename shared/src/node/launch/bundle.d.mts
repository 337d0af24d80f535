/** The repository; ends with a separator. */
export const root: string;
export const childrenFolder: string;
/** The address to import for the sources as they are now; undefined when there is no bundle of them. */
export function findBundle(entry: string, folder?: string): URL | undefined;
