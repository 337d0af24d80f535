// Types of what is kept of built pages.
type Made<T> = { readonly built: T; readonly inputs: readonly string[] };

export function keepBuilt<T>(entries: readonly string[], make: () => Promise<Made<T>>, folder?: string): Promise<T>;
