// How much of what others sent waits to be looked at. Follows the stream; what one does oneself is told by `recount`.
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import type { ServerEvent } from '@recordproof/shared/api/sse.ts';
import { createContext, type ReactNode, useContext } from 'react';
import type { Bridge } from '../../bridge/bridge.ts';
import { useAccount, useBridge } from '../surroundings.ts';
import { useEvents } from './use-events.ts';
import { useLoad } from './use-load.ts';

export type Counted = {
  readonly may: Permission;
  readonly events: readonly ServerEvent['type'][];
  readonly ask: (call: Bridge['call'], signal: AbortSignal) => Promise<{ readonly count: number }>;
};

type Badge = { readonly count: number; readonly recount: () => void };

export function useBadge({ may, events, ask }: Counted): Badge {
  const { call } = useBridge();
  const isAsked = useAccount().permissions.includes(may);
  const { state, reload } = useLoad(may, async signal => (isAsked ? await ask(call, signal) : { count: 0 }));
  useEvents(events, reload);
  return { count: state.kind === 'ready' ? state.value.count : 0, recount: reload };
}

type BadgeName = 'shares' | 'friends' | 'messages' | 'announcements';
export type Badges = Readonly<Record<BadgeName, Badge>>;

const BadgesContext = createContext<Badges | null>(null);

export const BadgesGiven = ({ badges, children }: { readonly badges: Badges; readonly children: ReactNode }) => (
  <BadgesContext value={badges}>{children}</BadgesContext>
);

export function useBadges(): Badges {
  const badges = useContext(BadgesContext);
  if (!badges) throw new Error('outside of the shell');
  return badges;
}
