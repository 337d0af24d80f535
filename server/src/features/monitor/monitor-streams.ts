// Dashboard streams: each sends a snapshot at an interval, while its session is valid and the client reads. The number
// is limited in total and per user; rejected clients can still poll.
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
/** Consecutive snapshots that could not be sent. */
const mostMissed = 5;
/** Proxies close silent connections; sessions are checked at the same interval. */
const longestSilenceSeconds = 20;
/** How long the final message may take to be sent. */
const longestFarewellMs = 5000;

type Input = {
  readonly actor: SessionRef & Pick<Actor, 'tokenExpiresAt'>;
  readonly everySeconds: number;
  read(): Promise<SystemMonitor>;
  /** Called once capacity is reserved. */
  connect(): Socket;
};

export type MonitorStreams = AsyncDisposable & {
  /** Throws CONFLICT at the limit. */
  begin(input: Input): void;
};

type Dependencies = Pick<Platform, 'database' | 'clock' | 'log' | 'stopping'>;

export function openMonitorStreams(server: Dependencies): MonitorStreams {
  const open = new Map<Promise<void>, Input['actor']>();
  const assertRoom = ({ userId }: Input['actor']): void => {
    if (server.stopping.aborted)
      throw new ApiError('SERVICE_UNAVAILABLE', 'this server is shutting down', { retryAfterSeconds: 5 });
    const own = [...open.values()].filter(other => other.userId === userId).length;
    if (open.size < mostStreams && own < mostOfAPerson) return;
    // Not BUSY, because waiting would not help, and polling is possible.
    throw new ApiError('CONFLICT', 'too many dashboards are open; close one, or poll instead of streaming');
  };
  return {
    begin(input) {
      assertRoom(input.actor);
      const life = stream(server, input.connect(), input).finally(() => open.delete(life));
      open.set(life, input.actor);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(open.keys());
    },
  };
}

/** Never throws: an error ends the stream, and its client reconnects. */
async function stream(server: Dependencies, socket: Socket, input: Input): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort()).once('error', () => gone.abort());
  const signal = AbortSignal.any([gone.signal, server.stopping]);
  try {
    await streamUntilOver(server, socket, input, signal);
  } catch (error) {
    server.log.warn({ error: toErrorText(error) }, 'a dashboard stream failed');
  }
  // A client that does not read could keep its connection open indefinitely.
  socket.destroySoon();
  await sleep(isBehind(socket) ? 0 : longestFarewellMs, undefined, { signal }).catch(() => undefined);
  socket.destroy();
}

const isBehind = ({ writableLength, writableHighWaterMark }: Socket): boolean => writableLength > writableHighWaterMark;

async function streamUntilOver(
  { database, clock }: Dependencies,
  socket: Socket,
  { actor, everySeconds, read }: Input,
  signal: AbortSignal,
): Promise<void> {
  let missed = 0;
  for (let left = 0; !signal.aborted; ) {
    missed = isBehind(socket) ? missed + 1 : 0;
    if (missed === mostMissed) return;
    const frame = left <= 0 && missed === 0 ? `data: ${JSON.stringify(await read())}\n\n` : ':\n\n';
    // Checked after the snapshot is taken, so that none is sent from after the session's end.
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
