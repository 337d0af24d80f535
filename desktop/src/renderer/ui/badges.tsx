// Badges: how many new items from others each screen has. Events of the stream update them; `recount` after an own action.
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import type { Bridge } from '../../bridge/bridge.ts';
import { ScreenContext, useAccount, useBridge } from '../context.ts';
import { useEvents, useLoad } from './hooks.ts';

export type CountSource = {
  readonly permission: Permission;
  /** Where the counted items are, within the screen. */
  readonly leadsTo?: string;
  /** Those that change the count. */
  readonly events: readonly ServerEvent['type'][];
  readonly count: (call: Bridge['call'], signal: AbortSignal) => Promise<{ readonly count: number }>;
};

type Badge = { readonly count: number; readonly recount: () => void };
type Badges = Readonly<Partial<Record<string, Badge>>>;

const none: Badge = { count: 0, recount: () => undefined };
const BadgesContext = createContext<Badges>({});

type ProviderProps = { readonly screen: string; readonly source: CountSource; readonly children: ReactNode };

/** The badge of one screen, besides those of the providers around it. */
export function BadgeProvider({ screen, source: { permission, events, count }, children }: ProviderProps) {
  const { call } = useBridge();
  const isAllowed = useAccount().permissions.includes(permission);
  const { state, reload } = useLoad(screen, async signal => (isAllowed ? await count(call, signal) : { count: 0 }));
  useEvents(events, reload);
  const badge = { count: state.kind === 'ready' ? state.value.count : 0, recount: reload };
  return <BadgesContext value={{ ...useContext(BadgesContext), [screen]: badge }}>{children}</BadgesContext>;
}

/** Of the screen that is shown, unless another is named. */
export function useBadge(screen?: string): Badge {
  const { name } = useContext(ScreenContext);
  return useContext(BadgesContext)[screen ?? name] ?? none;
}

export function useBadgeSum(screens: readonly string[]): number {
  const badges = useContext(BadgesContext);
  return screens.reduce((sum, screen) => sum + (badges[screen]?.count ?? 0), 0);
}

/** Marks as read what is shown, once for each `id`; null where nothing is unread. A failure leaves it unread. */
export function useMarkRead(id: string | null, mark: (id: string) => Promise<unknown>, onRead: () => void): void {
  const badge = useBadge();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each that is shown
  useEffect(() => {
    if (id === null) return;
    const markShown = () => {
      badge.recount();
      onRead();
    };
    mark(id).then(markShown, () => undefined);
  }, [id]);
}
