// A transfer has no deadline, but it must move: a client that stands still in the middle of its body or of ours would hold
// a connection, a half-written object and memory for as long as it likes.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Call when the request begins. The time in which it is we who keep the client waiting does not count. */
export function letGoWhenStalled(request: IncomingMessage, response: ServerResponse, limitMs: number): void {
  const { socket } = request;
  socket.setTimeout(limitMs);
  response.on('timeout', () => {
    const owesBytes = !request.complete && request.readableLength === 0;
    const leavesBytes = response.writableLength > 0;
    if (owesBytes || leavesBytes) socket.destroy();
    else socket.setTimeout(limitMs);
  });
}
