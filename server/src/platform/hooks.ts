// Hooks: what an upper feature does inside a transaction of a lower one. The lower one declares and calls the hook,
// upper ones implement it:
//   declare module '…/platform/hooks.ts' { interface Hooks { friendshipEnded: (tx: Tx, pair: Pair, now: Time) => Promise<void> } }
//   for (const tell of server.hooks.of('friendshipEnded')) await tell(tx, pair, now);

// biome-ignore lint/suspicious/noEmptyInterface: filled by the features
export interface Hooks {}

export type HookTable = {
  /** In the order of the list of features. */
  of<Name extends keyof Hooks>(name: Name): readonly Hooks[Name][];
};

/** Reads `opened` on each call, since features are still being added to it. */
export const openHooks = (opened: readonly { readonly hooks?: Partial<Hooks> }[]): HookTable => ({
  of: name => opened.flatMap(({ hooks }) => hooks?.[name] ?? []),
});
