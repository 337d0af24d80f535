// A transfer has no deadline, but it must move: a client that stands still in the middle of its body or of ours, or takes
// ours by drops, would hold a connection, a half-written object and memory for as long as it likes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type TransferLimits = {
  /** How long it may stand still. */
  readonly stallMs: number;
  /** What of our bytes has to be taken, over as long as it may stand still; 0: anything that moves. */
  readonly minBytesPerSecond: number;
  /** Answers whoever owes us bytes, and lets go where an answer has begun. */
  readonly refuse: () => void;
};

const looksPerWindow = 8;

/** Call when the request begins. The time in which it is we who keep the client waiting does not count. */
export function letGoWhenStalled(request: IncomingMessage, response: ServerResponse, limits: TransferLimits): void {
  const { stallMs, minBytesPerSecond, refuse } = limits;
  const { socket } = request;
  const leastTaken = (minBytesPerSecond * stallMs) / 1000;
  const now = () => ({ at: performance.now(), received: socket.bytesRead, taken: countTaken(socket) });
  let [moved, windowBegan] = [now(), now()];
  const look = (): void => {
    const seen = now();
    const owesBytes = !request.complete && request.readableLength === 0;
    const leavesBytes = response.writableLength > 0;
    if (!owesBytes && !leavesBytes) {
      [moved, windowBegan] = [seen, seen];
      return;
    }
    if (seen.received > moved.received || seen.taken > moved.taken) moved = seen;
    const standsStill = seen.at - moved.at >= stallMs;
    const isWindowOver = seen.at - windowBegan.at >= stallMs;
    const isTooSlow = isWindowOver && !owesBytes && seen.taken - windowBegan.taken < leastTaken;
    if (isWindowOver) windowBegan = seen;
    if (leavesBytes && (standsStill || isTooSlow)) socket.destroy();
    else if (standsStill) refuse();
  };
  const timer = setInterval(look, stallMs / looksPerWindow).unref();
  response.once('close', () => clearInterval(timer));
}

/**
 * What the system has taken over from us. Node's own timeout of a socket asks the same, but takes the first part of a
 * large block for a sign of life once more, after the whole time has passed.
 */
function countTaken(socket: Socket): number {
  const { _handle: handle } = socket as unknown as {
    _handle: { bytesWritten?: number; writeQueueSize?: number } | null;
  };
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0);
}
