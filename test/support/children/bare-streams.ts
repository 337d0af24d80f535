// Reference server of event streams: it holds the connections and writes one framed buffer to each of them in a loop.
// On a message with a name it sends that name, and reports when it began.
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tell } from '../child.ts';
import type { BenchServerMessage, BenchServerReady } from './event-bench-server.ts';

const sockets = new Set<Socket>();
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write('id: 0\ndata: {"type":"connected"}\n\n');
  const { socket } = response;
  if (!socket) return;
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
});
server.listen(0, '127.0.0.1', 10_000, () => {
  const { port } = server.address() as AddressInfo;
  tell({ url: `http://127.0.0.1:${port}`, tokens: [] } satisfies BenchServerReady);
});

const frameOf = (title: string): Buffer => {
  const data = `{"type":"announcement-published","payload":{"id":"1","title":"${title}","priority":0,"isPinned":false},"timestamp":"2026-01-31T12:00:00.000Z"}`;
  const message = `id: 1\ndata: ${data}\n\n`;
  return Buffer.from(`${message.length.toString(16)}\r\n${message}\r\n`);
};

process.on('message', text => {
  const { title } = JSON.parse(String(text)) as { title: string };
  const at = process.hrtime.bigint();
  const frame = frameOf(title);
  for (const socket of sockets) socket.write(frame);
  tell({ title, at: String(at) } satisfies BenchServerMessage);
});
