// Untrusted names: their form for display, and as a file name.

/**
 * Bidirectional embeddings, overrides and isolates, which make `gpj.exe` read as `exe.jpg`. The marks of right-to-left
 * text are kept.
 */
const turning = /[\u202a-\u202e\u2066-\u2069]/gu;
const notInNames = /[/\\\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

export const toShownName = (name: string): string => name.replace(turning, '\ufffd');

/**
 * A safe file name on any system but Windows: no path, no control characters, and no leading `-`, which commands parse
 * as an option.
 */
export const toSavedName = (name: string): string =>
  name
    .replace(notInNames, '_')
    .replace(/^-/, '_')
    .replace(/^(?=\.{0,2}$)/, '_');
