// Kinds of values that shell completion lists.

/** Completions that a shell requests from the program: the values of an argument or of a flag without a fixed list. */
export const valueKinds = ['profiles', 'files', 'folders', 'shares', 'friends', 'tickets', 'uploads'] as const;

export type ValueKind = (typeof valueKinds)[number];

/** Put into the definition of an argument; oclif passes it on. */
export const completedBy = (values: ValueKind) => ({ completedBy: values });

export const findValueKind = (definition: object | undefined): ValueKind | undefined =>
  valueKinds.find(kind => (definition as { completedBy?: unknown } | undefined)?.completedBy === kind);
