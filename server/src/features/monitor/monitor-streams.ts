// Streams of what a dashboard shows: each is sent a look every so often, for as long as its session lives and it reads. There
// are so many and no more, of one person fewer; whoever is refused can still ask look by look.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { SystemMonitor } from '@recordproof/shared/api/system.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { Platform } from '../../platform/server.ts';
import { toErrorText } from '../../platform/telemetry/error-text.ts';
import { listDeadSessions, type SessionRef } from '../auth/index.ts';

const mostStreams = 100;
const mostOfAPerson = 5;
/** Looks in a row that did not get through. */
const mostMissed = 5;
/** Proxies take a connection on which nothing comes for a dead one; and sessions are looked at as often. */
const longestSilenceSeconds = 20;
/** For so long what was said last may be on its way. */
const longestFarewellMs = 5000;

type Wish = {
  readonly actor: SessionRef & Pick<Actor, 'tokenExpiresAt'>;
  readonly everySeconds: number;
  read(): Promise<SystemMonitor>;
  /** Called once it is clear that there is room. */
  connect(): Socket;
};

export type MonitorStreams = AsyncDisposable & {
  /** Throws CONFLICT where there are enough of them. */
  begin(wish: Wish): void;
};

type Needed = Pick<Platform, 'database' | 'clock' | 'log' | 'stopping'>;

export function openMonitorStreams(server: Needed): MonitorStreams {
  const open = new Map<Promise<void>, Wish['actor']>();
  const refuseUnlessRoom = ({ userId }: Wish['actor']): void => {
    if (server.stopping.aborted)
      throw new ApiError('SERVICE_UNAVAILABLE', 'this server is shutting down', { retryAfterSeconds: 5 });
    const own = [...open.values()].filter(other => other.userId === userId).length;
    if (open.size < mostStreams && own < mostOfAPerson) return;
    // Not busy: who waits is not let in by that, and has another way.
    throw new ApiError('CONFLICT', 'enough dashboards are open; close one, or ask look by look');
  };
  return {
    begin(wish) {
      refuseUnlessRoom(wish.actor);
      const life = tell(server, wish.connect(), wish).finally(() => open.delete(life));
      open.set(life, wish.actor);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(open.keys());
    },
  };
}

/** Never throws: what is wrong ends the stream, and its client comes back. */
async function tell(server: Needed, socket: Socket, wish: Wish): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort()).once('error', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, server.stopping]);
  try {
    await tellUntilOver(server, socket, wish, signal);
  } catch (error) {
    server.log.warn({ error: toErrorText(error) }, 'the stream of a dashboard broke off');
  }
  // Who does not read would keep its connection open for as long as it likes.
  socket.destroySoon();
  await sleep(isBehind(socket) ? 0 : longestFarewellMs, undefined, { signal }).catch(() => undefined);
  socket.destroy();
}

const isBehind = ({ writableLength, writableHighWaterMark }: Socket): boolean => writableLength > writableHighWaterMark;

async function tellUntilOver(
  { database, clock }: Needed,
  socket: Socket,
  { actor, everySeconds, read }: Wish,
  signal: AbortSignal,
): Promise<void> {
  let missed = 0;
  for (let left = 0; !signal.aborted; ) {
    missed = isBehind(socket) ? missed + 1 : 0;
    if (missed === mostMissed) return;
    const frame = left <= 0 && missed === 0 ? `data: ${JSON.stringify(await read())}\n\n` : ':\n\n';
    // Asked after the look was taken, so that no look is told of what came after the end of a session.
    const isOver = actor.tokenExpiresAt <= clock.now() || (await listDeadSessions(database.db, [actor])).length > 0;
    if (isOver || signal.aborted) return;
    if (missed === 0) socket.write(frame);
    socket.uncork();
    if (left <= 0) left = everySeconds;
    const seconds = Math.min(left, longestSilenceSeconds);
    await sleep(seconds * 1000, undefined, { signal }).catch(() => undefined);
    left -= seconds;
  }
}
