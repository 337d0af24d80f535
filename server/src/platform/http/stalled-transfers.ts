// Stall timeout of transfers, which have no deadline: a client that stops sending or reading, or reads too slowly,
// would hold a connection, a half-written object and memory indefinitely.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type TransferLimits = {
  /** Longest time without progress. */
  readonly stallMs: number;
  /** Minimum download rate over the stall timeout; 0: any progress. */
  readonly minBytesPerSecond: number;
  /** Responds to a client that stopped sending; disconnects if the response has begun. */
  readonly reject: () => void;
};

const samplesPerWindow = 8;

/** Call when the request begins. Time in which the client waits for the server does not count. */
export function disconnectStalled(request: IncomingMessage, response: ServerResponse, limits: TransferLimits): void {
  const { stallMs, minBytesPerSecond, reject } = limits;
  const { socket } = request;
  const leastTaken = (minBytesPerSecond * stallMs) / 1000;
  const now = () => ({ at: performance.now(), received: socket.bytesRead, taken: countTaken(socket) });
  let [moved, windowBegan] = [now(), now()];
  const sample = (): void => {
    const sampledAt = now();
    const owesBytes = !request.complete && request.readableLength === 0;
    const leavesBytes = response.writableLength > 0;
    if (!owesBytes && !leavesBytes) {
      [moved, windowBegan] = [sampledAt, sampledAt];
      return;
    }
    if (sampledAt.received > moved.received || sampledAt.taken > moved.taken) moved = sampledAt;
    const standsStill = sampledAt.at - moved.at >= stallMs;
    const isWindowOver = sampledAt.at - windowBegan.at >= stallMs;
    const isTooSlow = isWindowOver && !owesBytes && sampledAt.taken - windowBegan.taken < leastTaken;
    if (isWindowOver) windowBegan = sampledAt;
    if (leavesBytes && (standsStill || isTooSlow)) socket.destroy();
    else if (standsStill) reject();
  };
  const timer = setInterval(sample, stallMs / samplesPerWindow).unref();
  response.once('close', () => clearInterval(timer));
}

/**
 * Bytes taken by the operating system. Node's socket timeout is similar, but counts the first part of a large block as
 * progress once more after the full time.
 */
function countTaken(socket: Socket): number {
  const { _handle: handle } = socket as unknown as {
    _handle: { bytesWritten?: number; writeQueueSize?: number } | null;
  };
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0);
}
