// What an upper feature does inside the transaction of a lower one. The lower one declares the hook and calls it, the
// upper ones fill it:
//   declare module '…/platform/hooks.ts' { interface Hooks { friendshipEnded: (tx: Tx, pair: Pair, now: Time) => Promise<void> } }
//   for (const tell of server.hooks.of('friendshipEnded')) await tell(tx, pair, now);

// biome-ignore lint/suspicious/noEmptyInterface: filled by the features
export interface Hooks {}

export type HookTable = {
  /** In the order of the list of features. */
  of<Name extends keyof Hooks>(name: Name): readonly Hooks[Name][];
};

/** Looks at what is open when it is asked. */
export const openHooks = (opened: readonly { readonly hooks?: Partial<Hooks> }[]): HookTable => ({
  of: name => opened.flatMap(({ hooks }) => hooks?.[name] ?? []),
});
